import { asJsonObject, copyBytes, malformed, parseJson, readObject, text, type KubeObject } from './object.ts';

/** A list response, cut into its items without parsing them. */
export interface ObjectList {
  readonly resourceVersion: string;
  /** Where the next page starts; empty on the last one. */
  readonly continueToken: string;
  readonly items: readonly ItemRange[];
}

/** Where an item is in the response: from `start` up to but without `end`. */
export interface ItemRange {
  readonly start: number;
  readonly end: number;
}

/** What typed lists leave out of their items. */
export interface ItemType {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Finds the items of a list response in one pass over its bytes, building no trees but that of its own metadata. */
export function scanList(json: Uint8Array): ObjectList {
  const items: ItemRange[] = [];
  let metadata = asJsonObject(undefined);
  let at = skipSpace(json, 0);
  if (json[at] !== OPEN_BRACE) throw malformed('a list that is not a JSON object');
  at = skipSpace(json, at + 1);
  while (json[at] !== CLOSE_BRACE) {
    const keyEnd = skipString(json, at);
    const key = text(parseJson(json, at, keyEnd));
    const start = skipColon(json, keyEnd);
    const end = key === 'items' ? skipItems(json, start, items) : skipValue(json, start);
    if (key === 'metadata') metadata = asJsonObject(parseJson(json, start, end));
    // A Table has rows in place of items, so it would read as an empty list and delete everything.
    if (key === 'kind' && parseJson(json, start, end) === 'Table')
      throw malformed('a Table where a list was asked for');
    at = skipComma(json, end);
  }
  return { resourceVersion: text(metadata['resourceVersion']), continueToken: text(metadata['continue']), items };
}

/** Parses one item, giving it the `apiVersion` and `kind` that a typed list leaves out. */
export function readItem(json: Uint8Array, { start, end }: ItemRange, type: ItemType): KubeObject {
  const item = asJsonObject(parseJson(json, start, end));
  if (typeof item['kind'] === 'string' && typeof item['apiVersion'] === 'string') {
    return readObject(item, () => copyBytes(json, start, end));
  }
  const { apiVersion, kind } = type;
  return readObject({ kind, apiVersion, ...item }, () => {
    const prefix = Buffer.from(`{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`);
    const copy = new Uint8Array(prefix.length + end - start - 1);
    copy.set(prefix);
    copy.set(json.subarray(start + 1, end), prefix.length);
    return copy;
  });
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Adds the elements of the array at `start` to `items`, and returns its end; Go writes `null` for an empty list. */
function skipItems(json: Uint8Array, start: number, items: ItemRange[]): number {
  if (json[start] !== OPEN_BRACKET) return skipValue(json, start);
  let at = skipSpace(json, start + 1);
  while (json[at] !== CLOSE_BRACKET) {
    const end = skipValue(json, at);
    items.push({ start: at, end });
    at = skipComma(json, end);
  }
  return at + 1;
}

function skipColon(json: Uint8Array, at: number): number {
  const colon = skipSpace(json, at);
  if (json[colon] !== COLON) throw malformed(`a list that is broken at byte ${colon}`);
  return skipSpace(json, colon + 1);
}

/** Over the comma after a value, to the next value or the closing bracket. */
function skipComma(json: Uint8Array, at: number): number {
  const next = skipSpace(json, at);
  if (next >= json.length) throw truncated(json);
  return json[next] === COMMA ? skipSpace(json, next + 1) : next;
}

function skipSpace(json: Uint8Array, at: number): number {
  let next = at;
  while ((json[next] ?? QUOTE) <= 0x20) next++;
  return next;
}

function skipString(json: Uint8Array, at: number): number {
  if (json[at] !== QUOTE) throw malformed(`a list that is broken at byte ${at}`);
  for (let next = at + 1; next < json.length; next++) {
    const byte = json[next];
    if (byte === QUOTE) return next + 1;
    if (byte === BACKSLASH) next++;
  }
  throw truncated(json);
}

/** The index after the value that starts at `at`. */
function skipValue(json: Uint8Array, at: number): number {
  const first = json[at];
  if (first === QUOTE) return skipString(json, at);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return skipContainer(json, at);
  let next = at;
  while (next < json.length && !isEnd(json[next])) next++;
  if (next === at) throw malformed(`a list that is broken at byte ${at}`);
  return next;
}

function isEnd(byte: number | undefined): boolean {
  return byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET || (byte ?? 0) <= 0x20;
}

const STRING = 1;
const OPEN = 2;
const CLOSE = 3;

/** What a byte means outside of strings; 0: nothing. */
const MEANINGS = new Uint8Array(256);
MEANINGS[QUOTE] = STRING;
MEANINGS[OPEN_BRACE] = OPEN;
MEANINGS[OPEN_BRACKET] = OPEN;
MEANINGS[CLOSE_BRACE] = CLOSE;
MEANINGS[CLOSE_BRACKET] = CLOSE;

// This loop sees every byte of every list, so it is flat and leaves well-formedness to JSON.parse.
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
  return malformed(`a list that ends in the middle, after ${json.length} bytes`);
}
