import { valueAt } from './field-changes.ts';
import { isObject } from '../../lib/json-object.ts';

/** What a field manager says about an object: the fields that it has written, and when it did so last. */
export interface OwnedFields {
  readonly manager: string;
  readonly timeMs: number;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** The paths of the fields; elements of lists are not told apart. */
  readonly paths: readonly (readonly string[])[];
}

const MAX_FIELDS = 500;
const MAX_DEPTH = 50;
/** hooklet names itself in each request, and the managers of applied objects begin so; so does shell-operator. */
const MANAGERS = /^(?:hooklet|shell-operator)\b/;

/** The fields that hooklet, or shell-operator, has written to an object. */
export function ownedFields(object: unknown): readonly OwnedFields[] {
  const entries = valueAt(object, ['metadata', 'managedFields']);
  return Array.isArray(entries) ? entries.flatMap(ownedOf) : [];
}

function ownedOf(entry: unknown): OwnedFields | [] {
  if (!isObject(entry)) return [];
  const { manager, time, subresource, fieldsV1 } = entry;
  const timeMs = typeof time === 'string' ? Date.parse(time) : Number.NaN;
  if (typeof manager !== 'string' || !MANAGERS.test(manager) || Number.isNaN(timeMs)) return [];
  const paths = [...pathsIn(fieldsV1, [])].slice(0, MAX_FIELDS);
  return { manager, timeMs, subresource: typeof subresource === 'string' ? subresource : '', paths };
}

/** The paths of `f:` keys that have no further ones below. */
function* pathsIn(fields: unknown, path: readonly string[]): Generator<readonly string[]> {
  const inner = isObject(fields) ? Object.entries(fields).filter(([key]) => key.startsWith('f:')) : [];
  if (inner.length === 0 || path.length >= MAX_DEPTH) {
    if (path.length > 0) yield path;
    return;
  }
  for (const [key, below] of inner) yield* pathsIn(below, [...path, key.slice(2)]);
}

/** Whether one of these fields is at the path, or above it. */
export function isOwned(path: readonly string[], owned: readonly OwnedFields[]): boolean {
  return owned.some(({ paths }) => paths.some((one) => one.every((part, index) => path[index] === part)));
}
