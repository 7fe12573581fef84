import type { JsonValue } from '../json.ts';
import { isJsonArray, isJsonObject } from '../json.ts';

/**
 * How the parts of a value merge and who can own them: by field, by list item, or only as a whole.
 * `mergeKey` and `strategy` are for strategic merge patch, which ignores the rest.
 */
export type Topology = ObjectTopology | ListTopology | AtomicTopology;

/** An object whose members are owned one by one. */
export interface ObjectTopology {
  readonly type: 'object';
  readonly fields: Readonly<Record<string, Topology>>;
  /** What members not among `fields` are: fields of a struct, entries of a map, or not allowed. */
  readonly others: 'struct' | 'map' | 'forbidden';
  /** The topology of such members; a plain one when absent. */
  readonly element?: Topology;
  /** Nothing is declared here: a value of any kind may stand in its place. */
  readonly anything?: true;
}

/** A value owned only as a whole; `strategy` says that strategic merge patch replaces it whole as well. */
export interface AtomicTopology {
  readonly type: 'atomic';
  readonly scalar?: 'boolean' | 'numeric' | 'string';
  readonly strategy?: 'replace';
}

/** A list: one value (`atomic`), a set of scalars (`set`), or items found by their key fields (`map`). */
export interface ListTopology {
  readonly type: 'list';
  readonly relation: 'atomic' | 'set' | 'map';
  readonly keys: readonly string[];
  readonly keyDefaults: Readonly<Record<string, JsonValue>>;
  readonly element: Topology;
  /** Strategic merge patch merges this list: by this key, or as a set of scalars when it is empty. */
  readonly mergeKey?: string;
}

/** A value owned only as a whole. */
export const ATOMIC: AtomicTopology = { type: 'atomic' };

/** A built-in struct of which nothing special is known: fields granular, lists atomic. */
export const STRUCT: ObjectTopology = { type: 'object', fields: {}, others: 'struct', anything: true };

/** Data without a schema: entries of objects granular, lists atomic. */
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

/** Whether a member is a field of a struct, not an entry of a map. */
export function isNamedField(topology: Topology, key: string): boolean {
  return topology.type === 'object' && (Object.hasOwn(topology.fields, key) || topology.others === 'struct');
}

/** The part that a value plays under a topology; a value of another shape than declared is a leaf. */
export function shapeOf(topology: Topology, value: JsonValue | undefined): 'leaf' | 'object' | 'list' {
  if (topology.type === 'object' && isJsonObject(value)) return 'object';
  if (topology.type === 'list' && topology.relation !== 'atomic' && isJsonArray(value)) return 'list';
  return 'leaf';
}
