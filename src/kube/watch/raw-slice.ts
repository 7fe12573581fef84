/*
 * Finds the slice of an object in its JSON without parsing it. Only keys on the way to the field are compared, and the
 * search ends at the field, so an object of a built-in kind, whose metadata comes first, costs some hundred bytes,
 * however long it is. What must hold: the answer is that of the parsed object, or `undefined`, upon which the caller
 * parses it. So anything that is not plain is `undefined`: a key or a value with an escape or beyond ASCII, a field that
 * is not a string, JSON that is broken before the field. A member that stands twice, which no JSON encoder of an API
 * server writes, counts by its first value.
 */

import { sliceOfBytes, type SliceHash } from '../../lib/slice-hash.ts';
import { CLOSE_BRACE, OPEN_BRACE, skipColon, skipComma, skipSpace, skipValue } from './json-ranges.ts';
import type { SliceField } from './slice.ts';

/** What of an object says its slice. */
export interface SliceBy {
  readonly hash: SliceHash;
  readonly field: SliceField;
}

/** The slice of the object that starts at `at`; undefined when that is not certain. */
export function rawSlice(json: Uint8Array, at: number, { hash, field }: SliceBy): number | undefined {
  try {
    const metadata = findMember(json, at, METADATA);
    if (metadata < 0 || json[metadata] !== OPEN_BRACE) return undefined;
    const value = findMember(json, metadata, FIELDS[field]);
    if (value === ABSENT) return sliceOfBytes(hash, EMPTY);
    const end = value === UNSURE ? UNSURE : plainEnd(json, value);
    return end === UNSURE ? undefined : sliceOfBytes(hash, json, value + 1, end);
  } catch {
    return undefined;
  }
}

/**
 * Where the object starts in a watch line that adds, modifies or deletes one; undefined for any other line, and when
 * that is not certain.
 */
export function rawFrameObject(line: Uint8Array): number | undefined {
  try {
    const start = skipSpace(line, 0);
    const type = findMember(line, start, TYPE);
    if (type < 0 || !isChange(line, type)) return undefined;
    const object = findMember(line, start, OBJECT);
    return object < 0 ? undefined : object;
  } catch {
    return undefined;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

const METADATA = Buffer.from('metadata');
const TYPE = Buffer.from('type');
const OBJECT = Buffer.from('object');
const FIELDS: Readonly<Record<SliceField, Uint8Array>> = {
  namespace: Buffer.from('namespace'),
  uid: Buffer.from('uid'),
};
const CHANGES = ['ADDED', 'MODIFIED', 'DELETED'].map((type) => Buffer.from(type));

/** The value of an object without the field. */
const EMPTY = new Uint8Array();

const ABSENT = -1;
const UNSURE = -2;

/** The index of the value of a member of the object that starts at `start`. */
function findMember(json: Uint8Array, start: number, name: Uint8Array): number {
  if (json[start] !== OPEN_BRACE) return UNSURE;
  let at = skipSpace(json, start + 1);
  while (json[at] !== CLOSE_BRACE) {
    const keyEnd = plainEnd(json, at);
    if (keyEnd === UNSURE) return UNSURE;
    const value = skipColon(json, keyEnd + 1);
    if (isText(json, at + 1, keyEnd, name)) return value;
    at = skipComma(json, skipValue(json, value));
  }
  return ABSENT;
}

/** The index of the closing quote of the string that starts at `start`, if all of it is ASCII without an escape. */
function plainEnd(json: Uint8Array, start: number): number {
  if (json[start] !== QUOTE) return UNSURE;
  for (let at = start + 1; at < json.length; at++) {
    const byte = json[at] ?? 0;
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH || byte < 0x20 || byte > 0x7e) return UNSURE;
  }
  return UNSURE;
}

function isText(json: Uint8Array, start: number, end: number, text: Uint8Array): boolean {
  if (end - start !== text.length) return false;
  for (let index = 0; index < text.length; index++) if (json[start + index] !== text[index]) return false;
  return true;
}

function isChange(line: Uint8Array, start: number): boolean {
  const end = plainEnd(line, start);
  return end !== UNSURE && CHANGES.some((type) => isText(line, start + 1, end, type));
}
