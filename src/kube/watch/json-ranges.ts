import { malformed, parseJson } from '../object.ts';

/** The position of a value in JSON text, from `start` up to but not including `end`. */
export interface JsonRange {
  readonly start: number;
  readonly end: number;
}

/** Finds the member `name` of a JSON object without parsing its value; undefined if there is none. */
export function memberRange(json: Uint8Array, name: string): JsonRange | undefined {
  let found: JsonRange | undefined;
  let at = skipSpace(json, 0);
  if (json[at] !== OPEN_BRACE) throw malformed('something that is not a JSON object');
  at = skipSpace(json, at + 1);
  while (json[at] !== CLOSE_BRACE) {
    const keyEnd = skipString(json, at);
    const start = skipColon(json, keyEnd);
    const end = skipValue(json, start);
    // Of duplicate members JSON.parse takes the last one.
    if (parseJson(json, at, keyEnd) === name) found = { start, end };
    at = skipComma(json, end);
  }
  return found;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
export const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
export const CLOSE_BRACKET = 0x5d;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;

/** Skips the colon after a key; returns the index of its value. */
export function skipColon(json: Uint8Array, at: number): number {
  const colon = skipSpace(json, at);
  if (json[colon] !== COLON) throw malformed(`JSON that is broken at byte ${colon}`);
  return skipSpace(json, colon + 1);
}

/** Skips the comma after a value; returns the index of the next value or of the closing bracket. */
export function skipComma(json: Uint8Array, at: number): number {
  const next = skipSpace(json, at);
  if (next >= json.length) throw truncated(json);
  return json[next] === COMMA ? skipSpace(json, next + 1) : next;
}

/** Returns the index of the next byte that is not white space. */
export function skipSpace(json: Uint8Array, at: number): number {
  let next = at;
  while ((json[next] ?? QUOTE) <= 0x20) next++;
  return next;
}

/** Returns the index after the string that starts at `at`; throws when it does not end. */
export function skipString(json: Uint8Array, at: number): number {
  if (json[at] !== QUOTE) throw malformed(`JSON that is broken at byte ${at}`);
  for (let next = at + 1; next < json.length; next++) {
    const byte = json[next];
    if (byte === QUOTE) return next + 1;
    if (byte === BACKSLASH) next++;
  }
  throw truncated(json);
}

/** Returns the index after the value that starts at `at`. */
export function skipValue(json: Uint8Array, at: number): number {
  const first = json[at];
  if (first === QUOTE) return skipString(json, at);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return skipContainer(json, at);
  let next = at;
  while (next < json.length && !isEnd(json[next])) next++;
  if (next === at) throw malformed(`JSON that is broken at byte ${at}`);
  return next;
}

function isEnd(byte: number | undefined): boolean {
  return byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET || (byte ?? 0) <= 0x20;
}

const STRING = 1;
const OPEN = 2;
const CLOSE = 3;

/** The meaning of a byte outside of strings; 0 for none. */
const MEANINGS = new Uint8Array(256);
MEANINGS[QUOTE] = STRING;
MEANINGS[OPEN_BRACE] = OPEN;
MEANINGS[OPEN_BRACKET] = OPEN;
MEANINGS[CLOSE_BRACE] = CLOSE;
MEANINGS[CLOSE_BRACKET] = CLOSE;

// This loop visits every byte of every list, so it is kept simple, and leaves validation to JSON.parse.
function skipContainer(json: Uint8Array, at: number): number {
  const length = json.length;
  let depth = 0;
  for (let next = at; next < length; next++) {
    const meaning = MEANINGS[json[next] ?? 0];
    if (meaning === 0) continue;
    if (meaning === STRING) {
      for (next++; next < length && json[next] !== QUOTE; next++) if (json[next] === BACKSLASH) next++;
    } else if (meaning === OPEN) depth++;
    else if (--depth === 0) return next + 1;
  }
  throw truncated(json);
}

function truncated(json: Uint8Array): Error {
  return malformed(`JSON that ends in the middle, after ${json.length} bytes`);
}
