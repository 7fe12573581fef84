import { UsageError } from '../../../errors.ts';
import { inside, readText, report, reportValue, type Place } from '../../../hook/config-reader.ts';
import { readYaml } from '../../../lib/yaml.ts';
import { isObject } from '../../../lib/json-object.ts';

/** A version of a kind that a CustomResourceDefinition defines. */
export interface CustomVersion {
  readonly group: string;
  readonly kind: string;
  readonly version: string;
  readonly isServed: boolean;
  /** The OpenAPI schema; empty where there is none. */
  readonly schema: Readonly<Record<string, unknown>>;
}

/** A file as it was read. */
export interface CrdFile {
  readonly name: string;
  readonly text: string;
}

const MAX_CHARACTERS = 32 * 1024 * 1024;

/**
 * The versions that CustomResourceDefinitions define, in the order of the files; other objects beside them are passed
 * over. Throws one `UsageError` with all problems, each with its file and line.
 */
export function readCrds(files: readonly CrdFile[]): readonly CustomVersion[] {
  const problems: string[] = [];
  const versions = files.flatMap((file) => readFile(file, problems));
  if (problems.length > 0) throw new UsageError(`types: ${problems.join('\n  ')}`);
  return versions;
}

function readFile({ name, text }: CrdFile, problems: string[]): readonly CustomVersion[] {
  let definitions = 0;
  const versions = readYaml(text, { maxCharacters: MAX_CHARACTERS }).flatMap((document) => {
    if (document.type === 'broken') {
      problems.push(...document.problems.map(({ line, message }) => `${name}:${line}: not YAML: ${message}`));
      definitions += 1;
      return [];
    }
    return itemsOf(document.value).flatMap((object) => {
      if (!isObject(object) || object['kind'] !== 'CustomResourceDefinition') return [];
      definitions += 1;
      const place: Place = { path: '', issues: [] };
      const read = readDefinition(object, place);
      problems.push(...place.issues.map(({ path, message }) => `${name}:${document.line}: ${path}: ${message}`));
      return read;
    });
  });
  if (definitions === 0) problems.push(`${name}: no CustomResourceDefinition in it`);
  return versions;
}

function itemsOf(value: unknown): readonly unknown[] {
  return isObject(value) && value['kind'] === 'List' && Array.isArray(value['items']) ? value['items'] : [value];
}

const V1 = 'apiextensions.k8s.io/v1';

function readDefinition(object: Readonly<Record<string, unknown>>, place: Place): readonly CustomVersion[] {
  if (object['apiVersion'] !== V1) {
    reportValue(inside(place, 'apiVersion'), object['apiVersion'], `${V1}, which is served since Kubernetes 1.16`);
    return [];
  }
  const [spec, at] = [mappingAt(object, 'spec', place), inside(place, 'spec')];
  const names = mappingAt(spec, 'names', at);
  const group = readText(spec['group'], inside(at, 'group')) ?? '';
  const kind = readText(names['kind'], inside(inside(at, 'names'), 'kind')) ?? '';
  const { versions } = spec;
  if (!Array.isArray(versions) || versions.length === 0) {
    reportValue(inside(at, 'versions'), versions, 'a list of versions');
    return [];
  }
  return versions.map((version: unknown, index) =>
    readVersion(version, inside(inside(at, 'versions'), index), { group, kind }),
  );
}

function readVersion(
  value: unknown,
  place: Place,
  { group, kind }: Pick<CustomVersion, 'group' | 'kind'>,
): CustomVersion {
  const version = isObject(value) ? value : {};
  const name = readText(version['name'], inside(place, 'name')) ?? '';
  const schema = isObject(version['schema']) ? version['schema']['openAPIV3Schema'] : undefined;
  if (schema !== undefined && !isObject(schema)) report(inside(place, 'schema'), 'openAPIV3Schema is no mapping');
  return { group, kind, version: name, isServed: version['served'] !== false, schema: isObject(schema) ? schema : {} };
}

function mappingAt(
  object: Readonly<Record<string, unknown>>,
  key: string,
  place: Place,
): Readonly<Record<string, unknown>> {
  const value = object[key];
  if (isObject(value)) return value;
  reportValue(inside(place, key), value, 'a mapping');
  return {};
}
