import { comment, INDENT } from './comment.ts';
import { fieldLines, type PrintBudget } from './schema-type.ts';
import { quoted } from './quoted.ts';
import type { CustomVersion } from './read-crds.ts';
import { isObject } from '../../../lib/json-object.ts';

/** The first line of every file of types; what begins with it may be replaced. */
export const HEADER = '// Made by `hooklet types` from CustomResourceDefinitions: change those, and make it again.';

/**
 * A module with the types of the versions: for each an object as the API server returns it, and as `New…` one to be
 * created. The same versions give the same text, in whatever order they come.
 */
export function printTypes(versions: readonly CustomVersion[]): string {
  const budget: PrintBudget = { nodes: 0 };
  const names = typeNames(versions);
  const sorted = [...new Map(versions.map((version) => [keyOf(version), version]))].toSorted(([left], [right]) =>
    left < right ? -1 : 1,
  );
  const types = sorted.map(([key, version]) => typeText(version, names.get(key) ?? '', budget));
  return `${HEADER}\nimport type { NewObjectMeta, ObjectMeta } from 'hooklet';\n\n${types.join('\n')}`;
}

function keyOf({ group, kind, version }: CustomVersion): string {
  return `${group}/${version}/${kind}`;
}

/** `PageV1`; where several groups have such a kind, `ExampleComPageV1`. */
function typeNames(versions: readonly CustomVersion[]): ReadonlyMap<string, string> {
  const plain = (version: CustomVersion): string => wordOf(version.kind) + wordOf(version.version);
  const groups = Map.groupBy(versions, plain);
  const entries = versions.map((version): [string, string] => {
    const name = plain(version);
    const isShared = new Set(groups.get(name)?.map(keyOf)).size > 1;
    return [keyOf(version), isShared ? wordOf(version.group) + name : name];
  });
  return uniquely(new Map(entries));
}

/** Numbers names that are the same although their groups, kinds or versions differ. */
function uniquely(names: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const used = new Map<string, number>();
  const sorted = [...names].toSorted(([left], [right]) => (left < right ? -1 : 1));
  return new Map(
    sorted.map(([key, name]) => {
      const count = (used.get(name) ?? 0) + 1;
      used.set(name, count);
      return [key, count === 1 ? name : `${name}_${count}`];
    }),
  );
}

/** A text as a word that can begin a name. */
function wordOf(text: string): string {
  const word = text
    .split(/[^A-Za-z0-9]+/)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('');
  return /^[A-Z]/.test(word) ? word : `_${word}`;
}

function typeText(version: CustomVersion, name: string, budget: PrintBudget): string {
  const { group, kind, version: served, isServed, schema } = version;
  const {
    apiVersion: _,
    kind: __,
    metadata: ___,
    ...properties
  } = isObject(schema['properties']) ? schema['properties'] : {};
  const fields = fieldLines({ ...schema, properties, 'x-kubernetes-embedded-resource': false }, 1, budget);
  const isOpen = fields.length === 0 || schema['x-kubernetes-preserve-unknown-fields'] === true;
  const lines = [
    `readonly apiVersion: ${quoted(`${group}/${served}`)};`,
    `readonly kind: ${quoted(kind)};`,
    'readonly metadata: ObjectMeta;',
  ].map((line) => `${INDENT}${line}`);
  const open = isOpen ? [`${INDENT}readonly [field: string]: unknown;`] : [];
  const body = [...lines, ...fields, ...open].join('\n');
  const note = isServed ? '' : ' This version is not served.';
  const description = typeof schema['description'] === 'string' ? schema['description'] : `A ${kind}.`;
  return `${comment(description + note, 0)}export interface ${name} {\n${body}\n}\n\n${newType(name, isOpen)}`;
}

function newType(name: string, isOpen: boolean): string {
  const rest = isOpen
    ? `{ readonly apiVersion: ${name}['apiVersion']; readonly kind: ${name}['kind']; readonly [field: string]: unknown }`
    : `Omit<${name}, 'metadata' | 'status'>`;
  return `/** One that is to be created or applied. */\nexport type New${name} = ${rest} & { readonly metadata: NewObjectMeta };\n`;
}
