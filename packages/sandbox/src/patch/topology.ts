// A topology describes a kind for the patches: which objects and lists merge and which are replaced as a whole, by
// which keys list items are matched, and what can be owned separately. It follows the shape of the objects.
// built-in-topology.ts has those of the built-in kinds, schema-topology.ts derives that of a custom resource from its
// schema.
//
// A value that does not have the declared shape counts as a leaf: it is replaced and owned as a whole.

import type { JsonValue } from '../json.ts';
import { isJsonArray, isJsonObject } from '../json.ts';

/**
 * How a value merges, and what of it can be owned separately: its fields, its list items, or only the whole. `mergeKey`
 * and `strategy` are only for strategic merge patch, which ignores the rest.
 */
export type Topology = ObjectTopology | ListTopology | AtomicTopology;

/** An object whose members are owned one by one. */
export interface ObjectTopology {
  readonly type: 'object';
  readonly fields: Readonly<Record<string, Topology>>;
  /** What a member is that is not in `fields`: a field of a struct, an entry of a map, or forbidden. */
  readonly others: 'struct' | 'map' | 'forbidden';
  /** The topology of members that are not in `fields`; default that of a struct or of data without a schema. */
  readonly element?: Topology;
  /** The type is not declared: a value of any type is allowed in its place. */
  readonly anything?: true;
}

/** A value that is owned only as a whole; with `strategy`, strategic merge patch also replaces it as a whole. */
export interface AtomicTopology {
  readonly type: 'atomic';
  readonly scalar?: 'boolean' | 'numeric' | 'string';
  readonly strategy?: 'replace';
}

/**
 * A list: owned as a whole (`atomic`), a set of scalars (`set`), or items that are matched by their key fields (`map`).
 */
export interface ListTopology {
  readonly type: 'list';
  readonly relation: 'atomic' | 'set' | 'map';
  readonly keys: readonly string[];
  readonly keyDefaults: Readonly<Record<string, JsonValue>>;
  readonly element: Topology;
  /** If present, strategic merge patch merges the list by this key, or as a set of scalars if it is empty. */
  readonly mergeKey?: string;
}

/** A value that is owned only as a whole. */
export const ATOMIC: AtomicTopology = { type: 'atomic' };

/** A built-in struct without special rules: its fields are owned one by one, its lists as a whole. */
export const STRUCT: ObjectTopology = { type: 'object', fields: {}, others: 'struct', anything: true };

/** Data without a schema: entries of objects are owned one by one, lists as a whole. */
export const ANYTHING: ObjectTopology = { type: 'object', fields: {}, others: 'map', anything: true };

/** A map whose entries are owned one by one. */
export const MAP: ObjectTopology = { type: 'object', fields: {}, others: 'map' };

/** A map of strings. */
export const STRING_MAP: ObjectTopology = { ...MAP, element: { type: 'atomic', scalar: 'string' } };

/** The topology of one member of an object. */
export function memberOf(topology: Topology, key: string): Topology {
  if (topology.type !== 'object') return topology.type === 'atomic' ? ATOMIC : ANYTHING;
  if (Object.hasOwn(topology.fields, key)) return topology.fields[key] ?? ATOMIC;
  return topology.element ?? (topology.others === 'struct' ? STRUCT : ANYTHING);
}

/** Whether a member is a field of a struct and not an entry of a map. */
export function isNamedField(topology: Topology, key: string): boolean {
  return topology.type === 'object' && (Object.hasOwn(topology.fields, key) || topology.others === 'struct');
}

/** How a value is treated under a topology; a value of another shape than declared is a leaf. */
export function shapeOf(topology: Topology, value: JsonValue | undefined): 'leaf' | 'object' | 'list' {
  if (topology.type === 'object' && isJsonObject(value)) return 'object';
  if (topology.type === 'list' && topology.relation !== 'atomic' && isJsonArray(value)) return 'list';
  return 'leaf';
}
