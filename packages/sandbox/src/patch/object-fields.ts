// Fields of objects as sets. An object and its topology give the set of fields that it sets (`fieldsOf`); two objects
// give the fields that differ (`compareFields`); and a set of fields can be removed from an object (`removeFields`).
// Ownership, conflicts and the removal of fields in server-side apply are all computed with these three.
//
// `fieldsOf` has the path of each leaf, such as a scalar or an atomic list, and also the path of each list item, map
// entry and empty object. A struct with members is represented only by its members.

import { isDeepStrictEqual } from 'node:util';
import type { JsonArray, JsonObject, JsonValue } from '../json.ts';
import { isJsonArray, isJsonObject } from '../json.ts';
import type { FieldSet } from './field-set.ts';
import { childPath, elementsOf, withAncestors } from './field-set.ts';
import type { ListTopology, Topology } from './topology.ts';
import { ATOMIC, isNamedField, memberOf, shapeOf } from './topology.ts';

/** The fields that a manager owns if it writes exactly this object. */
export function fieldsOf(object: JsonValue, topology: Topology): FieldSet {
  const found = new Set<string>();
  collect({ value: object, topology, path: '' }, found);
  return found;
}

interface Place {
  readonly value: JsonValue;
  readonly topology: Topology;
  readonly path: string;
}

function collect({ value, topology, path }: Place, found: Set<string>): void {
  if (shapeOf(topology, value) === 'leaf') {
    found.add(path);
    return;
  }
  for (const member of membersOf(value, topology)) {
    const below = childPath(path, member.element);
    collect({ value: member.value, topology: member.topology, path: below }, found);
    if (member.isItem || isEmptyValue(member.value)) found.add(below);
  }
}

function isEmptyValue(value: JsonValue): boolean {
  return value === null || (isJsonObject(value) && Object.keys(value).length === 0);
}

/**
 * A member of an object or of a list that merges: its path element, value and topology, and whether its path itself is
 * owned.
 */
export interface Member {
  readonly element: string;
  readonly value: JsonValue;
  readonly topology: Topology;
  readonly isItem: boolean;
}

/**
 * The members of an object or of a list that merges. If several items have the same key, callers that look members up
 * by element use the last.
 */
export function membersOf(value: JsonValue | undefined, topology: Topology): readonly Member[] {
  if (isJsonObject(value)) {
    return Object.entries(value).map(([name, member]) => ({
      element: `f:${name}`,
      value: member,
      topology: memberOf(topology, name),
      isItem: !isNamedField(topology, name),
    }));
  }
  if (!isJsonArray(value) || topology.type !== 'list') return [];
  return value.map((item, index) => ({
    element: itemElement(item, topology) ?? `i:${index}`,
    value: item,
    topology: topology.element,
    isItem: true,
  }));
}

/** The path element of an item of a list that merges; undefined if the item lacks all its keys. */
export function itemElement(item: JsonValue, list: ListTopology): string | undefined {
  if (list.relation === 'set') return `v:${JSON.stringify(item)}`;
  if (!isJsonObject(item)) return undefined;
  const keys: [string, JsonValue][] = [];
  for (const name of list.keys.toSorted()) {
    const key = item[name] ?? list.keyDefaults[name];
    if (key !== undefined) keys.push([name, key]);
  }
  return keys.length === 0 ? undefined : `k:${JSON.stringify(Object.fromEntries(keys))}`;
}

/** The difference between two objects; no field is in two of the sets. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/** Compares two objects field by field. */
export function compareFields(before: JsonObject, after: JsonObject, topology: Topology): Comparison {
  const changes = { added: new Set<string>(), modified: new Set<string>(), removed: new Set<string>() };
  compare({ before, after, topology, path: '' }, changes);
  return changes;
}

interface Pair {
  readonly before: JsonValue | undefined;
  readonly after: JsonValue | undefined;
  readonly topology: Topology;
  readonly path: string;
}

type Changes = Readonly<Record<keyof Comparison, Set<string>>>;

function compare(pair: Pair, changes: Changes): void {
  const { before, after, topology, path } = pair;
  // Unchanged values are often the same object, as requests share them.
  if (before === after) return;
  if (!areGranular(before, after, topology)) {
    compareLeaves(pair, changes);
    return;
  }
  const members = new Map<string, Pair>();
  for (const { element, value, topology: member } of membersOf(before, topology)) {
    members.set(element, { before: value, after: undefined, topology: member, path: childPath(path, element) });
  }
  for (const { element, value, topology: member } of membersOf(after, topology)) {
    const known = members.get(element)?.before;
    members.set(element, { before: known, after: value, topology: member, path: childPath(path, element) });
  }
  for (const member of members.values()) compare(member, changes);
  if (before === undefined) changes.added.add(path);
  if (after === undefined) changes.removed.add(path);
}

/**
 * Whether to compare the members of both values. Null takes the shape of the other value. Two empty values are compared
 * as a whole.
 */
function areGranular(before: JsonValue | undefined, after: JsonValue | undefined, topology: Topology): boolean {
  if (isEmpty(before) && isEmpty(after)) return false;
  const present = [before, after].filter((value) => value !== undefined && value !== null);
  return present.every((value) => shapeOf(topology, value) !== 'leaf');
}

function isEmpty(value: JsonValue | undefined): boolean {
  if (isJsonArray(value)) return value.length === 0;
  return value === undefined || isEmptyValue(value);
}

function compareLeaves({ before, after, path }: Pair, changes: Changes): void {
  if (before === undefined) changes.added.add(path);
  else if (after === undefined) changes.removed.add(path);
  else if (!isDeepStrictEqual(before, after)) changes.modified.add(path);
}

/** What becomes of an object or a list whose members are all removed: null, or it is removed too. */
export type Emptied = 'null' | 'absent';

/** Returns the object without the fields of the set. */
export function removeFields(
  object: JsonObject,
  fields: FieldSet,
  { topology, emptied }: { readonly topology: Topology; readonly emptied: Emptied },
): JsonObject {
  const left = removeBelow({ value: object, topology, path: '' }, fields, emptied);
  return isJsonObject(left) ? left : {};
}

function removeBelow({ value, topology, path }: Place, fields: FieldSet, emptied: Emptied): JsonValue | undefined {
  if (shapeOf(topology, value) === 'leaf' || isEmpty(value)) return value;
  const left = membersOf(value, topology).flatMap((member) => {
    const below = childPath(path, member.element);
    if (fields.has(below)) return [];
    const kept = removeBelow({ value: member.value, topology: member.topology, path: below }, fields, emptied);
    return kept === undefined ? [] : [{ element: member.element, value: kept }];
  });
  if (left.length === 0) return emptied === 'null' ? null : undefined;
  return isJsonArray(value) ? left.map((member) => member.value) : rebuild(left);
}

function rebuild(members: readonly { readonly element: string; readonly value: JsonValue }[]): JsonObject {
  return Object.fromEntries(members.map(({ element, value }) => [element.slice('f:'.length), value]));
}

/**
 * Adds to the set every struct field that contains one of its paths; entries of maps and items of lists are not added.
 */
export function withNamedFields(fields: FieldSet, topology: Topology): FieldSet {
  return withAncestors(fields, (path) => isNamedPath(elementsOf(path), topology));
}

function isNamedPath(elements: readonly string[], topology: Topology): boolean {
  const [element = '', ...rest] = elements;
  const isField = element.startsWith('f:');
  const name = element.slice('f:'.length);
  if (rest.length === 0) return isField && isNamedField(topology, name);
  if (isField) return isNamedPath(rest, memberOf(topology, name));
  return isNamedPath(rest, topology.type === 'list' ? topology.element : ATOMIC);
}

/** The items of a list that merges, with their path elements. */
export function itemsOf(list: JsonArray, topology: ListTopology): readonly { element: string; value: JsonValue }[] {
  return membersOf(list, topology).map(({ element, value }) => ({ element, value }));
}
