import type { JsonObject, JsonValue } from '../json.ts';
import { isJsonArray, isJsonObject } from '../json.ts';
import { childPath, printElement, printPath } from './field-set.ts';
import { metadataOf } from './managed-fields.ts';
import { itemElement, membersOf } from './object-fields.ts';
import type { PatchKind } from './ownership.ts';
import { internal } from './patch-refused.ts';
import { printGo } from './strategic-directives.ts';
import type { AtomicTopology, ListTopology, ObjectTopology, Topology } from './topology.ts';

/**
 * Refuses an applied object that cannot be merged: with fields that are unknown or of the wrong type, or with list
 * items that lack their keys or have the same key.
 */
export function checkApplied(applied: JsonObject, topology: Topology, kind: PatchKind): void {
  const problems = problemsOf(applied, topology, '');
  if (problems.length === 0) return;
  const { namespace = '', name = '' } = metadataOf(applied);
  const type = `${kind.group}/${kind.version}, Kind=${kind.kind}`;
  const text = problems.length === 1 ? problems[0] : `errors:\n${problems.map((line) => `  ${line}`).join('\n')}`;
  throw internal(`failed to create typed patch object (${printed(namespace)}/${printed(name)}; ${type}): ${text}`);
}

function printed(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function problemsOf(value: JsonValue, topology: Topology, path: string): readonly string[] {
  if (value === null) return [];
  switch (topology.type) {
    case 'object':
      return objectProblems(value, topology, path);
    case 'list':
      return listProblems(value, topology, path);
    case 'atomic':
      return scalarProblems(value, topology, path);
  }
}

function objectProblems(value: JsonValue, topology: ObjectTopology, path: string): readonly string[] {
  if (!isJsonObject(value)) {
    return topology.anything === true ? [] : [`${printPath(path)}: expected map, got &{${printGo(value)}}`];
  }
  const members = membersOf(value, topology);
  const unknown = members.find(
    (member) => topology.others === 'forbidden' && !Object.hasOwn(topology.fields, member.element.slice('f:'.length)),
  );
  if (unknown !== undefined) return [`${printPath(childPath(path, unknown.element))}: field not declared in schema`];
  return members.flatMap((member) => problemsOf(member.value, member.topology, childPath(path, member.element)));
}

function listProblems(value: JsonValue, list: ListTopology, path: string): readonly string[] {
  if (!isJsonArray(value)) return [`${printPath(path)}: expected list, got &{${printGo(value)}}`];
  if (list.relation === 'atomic') return [];
  const seen = new Set<string>();
  return value.flatMap((item, index) => {
    const element = itemElement(item, list);
    if (element === undefined) return [`${printPath(path)}: element ${index}: ${missingKey(item, list)}`];
    if (seen.has(element)) return [`${printPath(path)}: duplicate entries for key ${printElement(element)}`];
    seen.add(element);
    return problemsOf(item, list.element, childPath(path, element));
  });
}

function missingKey(item: JsonValue, list: ListTopology): string {
  if (!isJsonObject(item)) return 'associative list with keys may not have non-map elements';
  const keys = list.keys.map((key) => JSON.stringify(key)).join(' ');
  const reason = `[${keys}] (and doesn't have default values for any key fields)`;
  return `associative list with keys has an element that omits all key fields ${reason}`;
}

function scalarProblems(value: JsonValue, { scalar }: AtomicTopology, path: string): readonly string[] {
  if (scalar === undefined) return [];
  if (typeof value === (scalar === 'numeric' ? 'number' : scalar)) return [];
  return [`${printPath(path)}: expected ${EXPECTED[scalar](value)}`];
}

/** How the server quotes an unexpected value, which depends on the type that it expected. */
const EXPECTED: Readonly<Record<NonNullable<AtomicTopology['scalar']>, (value: JsonValue) => string>> = {
  boolean: (value) => `boolean, got &{${printGo(value)}}`,
  numeric: (value) => `numeric (int or float), got ${goTypeOf(value)}`,
  string: (value) => `string, got &value.valueUnstructured{Value:${printGo(value)}}`,
};

function goTypeOf(value: JsonValue): string {
  if (isJsonArray(value)) return '[]interface {}';
  if (isJsonObject(value)) return 'map[string]interface {}';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}
