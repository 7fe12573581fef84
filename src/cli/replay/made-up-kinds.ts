import type { JsonObject } from '@hooklet/sandbox';
import { builtInKinds } from '@hooklet/sandbox/kinds';
import type { SeenObject } from './seen-objects.ts';
import { isObject } from '../../lib/json-object.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Where objects of a kind are stored. */
export interface Collection {
  readonly collection: string;
  readonly storedApiVersion: string;
}

const BUILT_IN = builtInKinds();
const GROUP = /^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/;
const VERSION = /^[a-z0-9]{1,30}$/;
const KIND = /^[A-Za-z][A-Za-z0-9]{0,62}$/;

export function isDefinition({ kind }: SeenObject): boolean {
  return kind === 'CustomResourceDefinition';
}

/** A definition that takes anything, for each custom kind of these objects that `definitions` do not define. */
export function madeUpKinds(objects: readonly SeenObject[], definitions: readonly SeenObject[]): readonly JsonObject[] {
  const known = new Set(definitions.map(({ object }) => kindOfDefinition(object)));
  const kinds = new Map<string, SeenObject[]>();
  for (const one of objects) {
    const { group, version } = versionOf(one.apiVersion);
    const key = `${group}/${one.kind}`;
    if (known.has(key) || BUILT_IN.some((kind) => kind.group === group)) continue;
    if (!GROUP.test(group) || !VERSION.test(version) || !KIND.test(one.kind)) continue;
    kinds.set(key, [...(kinds.get(key) ?? []), one]);
  }
  return [...kinds.values()].map(definitionOf);
}

/** Where the objects of a built-in kind are stored; undefined for any other. */
export function builtIn({ apiVersion, kind }: SeenObject): Collection | undefined {
  const { group, version } = versionOf(apiVersion);
  return BUILT_IN.find((one) => one.group === group && one.version === version && one.kind === kind);
}

function kindOfDefinition({ spec }: Fields): string {
  const { group, names } = isObject(spec) ? spec : {};
  const kind = isObject(names) ? names['kind'] : undefined;
  return typeof group === 'string' && typeof kind === 'string' ? `${group}/${kind}` : '';
}

function definitionOf(objects: readonly SeenObject[]): JsonObject {
  const [first] = objects;
  const kind = first?.kind ?? '';
  const { group } = versionOf(first?.apiVersion ?? '');
  const plural = pluralOf(kind);
  const versions = [...new Set(objects.map(({ apiVersion }) => versionOf(apiVersion).version))];
  const isNamespaced = objects.some(({ namespace }) => namespace !== '');
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      scope: isNamespaced ? 'Namespaced' : 'Cluster',
      versions: versions.map((name, at) => ({
        name,
        served: true,
        storage: at === 0,
        schema,
        subresources: { status: {} },
      })),
    },
  };
}

function pluralOf(kind: string): string {
  const lower = kind.toLowerCase();
  if (/(?:s|x|ch|sh)$/.test(lower)) return `${lower}es`;
  return /[^aeiou]y$/.test(lower) ? `${lower.slice(0, -1)}ies` : `${lower}s`;
}

function versionOf(apiVersion: string): { readonly group: string; readonly version: string } {
  const [first = '', second] = apiVersion.split('/');
  return second === undefined ? { group: '', version: first } : { group: first, version: second };
}
