import { isDeepStrictEqual } from 'node:util';
import { shownText } from '../../lib/shown.ts';
import { isObject } from '../../lib/json-object.ts';

/** A field that differs; the path has the keys and places from the outermost field. */
export interface FieldChange {
  readonly path: readonly string[];
  /** Undefined: it is not there. */
  readonly before: unknown;
  readonly after: unknown;
}

const MAX_VALUE = 160;
const MASK = '***';
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

// What the server keeps of each write.
const SERVER_FIELDS: readonly string[] = [
  'managedFields',
  'resourceVersion',
  'generation',
  'uid',
  'creationTimestamp',
  'selfLink',
].map((field) => `metadata.${field}`);

/** The fields that differ between two states of an object, without those that the server keeps. */
export function fieldChanges(before: unknown, after: unknown): readonly FieldChange[] {
  return [...changesIn([], before, after)];
}

/** `spec.replicas: 1 → 3`; the values of a Secret are masked. */
export function changeText({ path, before, after }: FieldChange, isSecret: boolean): string {
  const [first, second, third] = path;
  const isApplied = first === 'metadata' && second === 'annotations' && third === LAST_APPLIED;
  const isMasked = isSecret && (first === 'data' || first === 'stringData' || isApplied);
  const text = (value: unknown): string => (isMasked ? MASK : shownText(JSON.stringify(value) ?? '', MAX_VALUE));
  const name = path.map((part) => (/^[\w-]+$/.test(part) ? part : JSON.stringify(part))).join('.');
  if (before === undefined) return `${name}: ${text(after)} (new)`;
  if (after === undefined) return `${name}: ${text(before)} (removed)`;
  return `${name}: ${text(before)} → ${text(after)}${isMasked ? ' (another value)' : ''}`;
}

/** The value at a path; undefined where there is none. */
export function valueAt(object: unknown, path: readonly string[]): unknown {
  let value = object;
  for (const part of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = new Map<string, unknown>(Object.entries(value)).get(part);
  }
  return value;
}

function* changesIn(path: readonly string[], before: unknown, after: unknown): Generator<FieldChange> {
  if (SERVER_FIELDS.includes(path.join('.')) || isDeepStrictEqual(before, after)) return;
  const isSplit = path.length < MAX_DEPTH && isComposite(before, after);
  if (!isSplit) {
    yield { path, before, after };
    return;
  }
  const [left, right] = [entriesOf(before), entriesOf(after)];
  for (const key of new Set([...left.keys(), ...right.keys()])) {
    yield* changesIn([...path, key], left.get(key), right.get(key));
  }
}

const MAX_DEPTH = 50;

/** Whether both are objects, or lists of one length; what is new or gone is split at the top alone. */
function isComposite(before: unknown, after: unknown): boolean {
  if (Array.isArray(before) && Array.isArray(after)) return before.length === after.length;
  const isNew = before === undefined && isObject(after) && Object.keys(after).length > 0;
  const isGone = after === undefined && isObject(before) && Object.keys(before).length > 0;
  return isNew || isGone || (isObject(before) && isObject(after));
}

function entriesOf(value: unknown): ReadonlyMap<string, unknown> {
  return new Map(typeof value === 'object' && value !== null ? Object.entries(value) : []);
}
