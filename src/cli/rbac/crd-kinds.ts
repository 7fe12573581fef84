import { UsageError } from '../../errors.ts';
import type { ResourceKind } from '../../kube/kind.ts';
import { shown } from '../../lib/shown.ts';
import { isObject } from '../../lib/json-object.ts';
import type { PlacedObject } from '../../rights/granted.ts';

/** The kinds of CustomResourceDefinitions; other objects are left out. Throws `UsageError` for one that cannot be read. */
export function kindsOfDefinitions(objects: readonly PlacedObject[]): readonly ResourceKind[] {
  const problems: string[] = [];
  const kinds = objects
    .filter(({ object }) => object['kind'] === 'CustomResourceDefinition')
    .flatMap((placed) => kindsOf(placed, problems));
  if (problems.length > 0) throw new UsageError(problems.join('\n'));
  return kinds;
}

function kindsOf({ file, line, object }: PlacedObject, problems: string[]): readonly ResourceKind[] {
  const spec = recordAt(object, 'spec');
  const names = recordAt(spec, 'names');
  const text = (record: Record_, field: string, path: string): string => {
    const value = record[field];
    if (typeof value === 'string' && value !== '') return value;
    problems.push(`${file}:${line}: ${path}.${field}: received ${shown(value)}, expected a name`);
    return '';
  };
  const group = text(spec, 'group', 'spec');
  const [plural, kind] = [text(names, 'plural', 'spec.names'), text(names, 'kind', 'spec.names')];
  const versions: readonly unknown[] = Array.isArray(spec['versions']) ? spec['versions'] : [];
  if (versions.length === 0) problems.push(`${file}:${line}: spec.versions: received none, expected at least one`);
  return versions.filter(isObject).map((one): ResourceKind => {
    const version = String(one['name']);
    return {
      group,
      version,
      apiVersion: `${group}/${version}`,
      kind,
      plural,
      singular: typeof names['singular'] === 'string' ? names['singular'] : kind.toLowerCase(),
      shortNames: Array.isArray(names['shortNames']) ? names['shortNames'].map(String) : [],
      isNamespaced: spec['scope'] === 'Namespaced',
      verbs: [],
      subresources: Object.keys(recordAt(one, 'subresources')),
    };
  });
}

type Record_ = Readonly<Record<string, unknown>>;

function recordAt(record: Record_, field: string): Record_ {
  const value = record[field];
  return isObject(value) ? value : {};
}
