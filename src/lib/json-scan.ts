/*
 * Looks into JSON text of others without building its values: a few megabytes of `{}` would become hundreds of
 * megabytes of objects, and take seconds. Callers first ask `isJson`, then take ranges of what passed.
 */

/** The position of a value in JSON text, from `start` up to but not including `end`. */
export interface JsonSpan {
  readonly start: number;
  readonly end: number;
}

const MAX_DEPTH = 10_000;

/** Whether the text is one JSON value, as `JSON.parse` takes it, of at most 10,000 levels, as the API server takes it. */
export function isJson(json: Uint8Array): boolean {
  const levels: Levels = { open: new Uint8Array(MAX_DEPTH), depth: 0 };
  let at = skipSpace(json, 0);
  while (at !== BROKEN) {
    at = isOpening(json[at]) ? enter(json, at, levels) : leave(json, skipSpace(json, scalarEnd(json, at)), levels);
    if (levels.depth === 0) return at === json.length;
  }
  return false;
}

/** About how many values JSON text has; counting ends above `limit`. */
export function valuesIn(json: Uint8Array, limit: number): number {
  let values = 1;
  for (let at = 0; at < json.length && values <= limit; at++) {
    const byte = json[at] ?? 0;
    if (byte === QUOTE) {
      const end = stringEnd(json, at);
      if (end === BROKEN) return values;
      at = end - 1;
    } else if (byte === COMMA || isOpening(byte)) values++;
  }
  return values;
}

/**
 * Returns where the values of those members of the object at `span` are that are there; of duplicates the last, as
 * `JSON.parse` does. The text must be JSON. Names are compared as they are written: an API server escapes no letters.
 */
export function memberSpans<Name extends string>(
  json: Uint8Array,
  { start }: JsonSpan,
  names: readonly Name[],
): ReadonlyMap<Name, JsonSpan> {
  const found = new Map<Name, JsonSpan>();
  let at = skipSpace(json, start + 1);
  while (json[at] === QUOTE) {
    const keyEnd = stringEnd(json, at);
    const name = nameOf(json, { start: at, end: keyEnd }, names);
    const value = skipSpace(json, skipSpace(json, keyEnd) + 1);
    const end = valueEnd(json, value);
    if (name !== undefined) found.set(name, { start: value, end });
    at = skipSpace(json, end);
    if (json[at] === COMMA) at = skipSpace(json, at + 1);
  }
  return found;
}

const BROKEN = -1;
const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const LETTER_E = 0x65;
const LETTER_U = 0x75;
const OPEN_BRACE = 0x7b;
/** From an opening bracket to its closing one, and from a capital letter to its small one. */
const TO_CLOSING = 2;
const TO_SMALL = 0x20;

/** The opening brackets that are not closed yet. */
interface Levels {
  readonly open: Uint8Array;
  depth: number;
}

/** The index of the next value after the opening bracket at `at`. */
function enter(json: Uint8Array, at: number, levels: Levels): number {
  if (levels.depth === MAX_DEPTH) return BROKEN;
  const opening = json[at] ?? 0;
  levels.open[levels.depth++] = opening;
  const inner = skipSpace(json, at + 1);
  if (isClosing(json[inner], opening)) return leave(json, inner, levels);
  return opening === OPEN_BRACE ? afterKey(json, inner) : inner;
}

/** The index of the next value after one that ended before `from`. */
function leave(json: Uint8Array, from: number, levels: Levels): number {
  let at = from;
  while (levels.depth > 0 && isClosing(json[at], levels.open[levels.depth - 1])) {
    levels.depth--;
    at = skipSpace(json, at + 1);
  }
  return levels.depth === 0 ? at : afterComma(json, at, levels.open[levels.depth - 1]);
}

function isOpening(byte: number | undefined): boolean {
  return byte === OPEN_BRACE || byte === OPEN_BRACKET;
}

function isClosing(byte: number | undefined, opening: number | undefined): boolean {
  return byte !== undefined && opening !== undefined && byte === opening + TO_CLOSING;
}

/** The index of the next byte that is not white space. */
function skipSpace(json: Uint8Array, from: number): number {
  if (from === BROKEN) return BROKEN;
  let at = from;
  while (at < json.length && isSpace(json[at] ?? 0)) at++;
  return at;
}

function isSpace(byte: number): boolean {
  return byte <= 0x20 && (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09);
}

/** The index of the value after the key at `at`. */
function afterKey(json: Uint8Array, at: number): number {
  if (json[at] !== QUOTE) return BROKEN;
  const end = stringEnd(json, at);
  if (end === BROKEN) return BROKEN;
  const colon = skipSpace(json, end);
  return json[colon] === COLON ? skipSpace(json, colon + 1) : BROKEN;
}

/** The index of the value after the comma at `at`. */
function afterComma(json: Uint8Array, at: number, opening: number | undefined): number {
  if (json[at] !== COMMA) return BROKEN;
  const after = skipSpace(json, at + 1);
  return opening === OPEN_BRACE ? afterKey(json, after) : after;
}

function scalarEnd(json: Uint8Array, at: number): number {
  if (at >= json.length) return BROKEN;
  const first = json[at] ?? 0;
  if (first === QUOTE) return stringEnd(json, at);
  if (first < LETTER_E) return numberEnd(json, at);
  const word = WORDS.find((one) => isWritten(json, at, one));
  return word === undefined ? BROKEN : at + word.length;
}

const WORDS = ['true', 'false', 'null'];

function stringEnd(json: Uint8Array, from: number): number {
  for (let at = from + 1; at < json.length; at++) {
    const byte = json[at] ?? 0;
    if (byte === QUOTE) return at + 1;
    if (byte < 0x20) return BROKEN;
    if (byte === BACKSLASH && !isEscape(json, ++at)) return BROKEN;
  }
  return BROKEN;
}

const ESCAPES = Buffer.from('"\\/bfnrt');

function isEscape(json: Uint8Array, at: number): boolean {
  const byte = json[at] ?? 0;
  if (byte !== LETTER_U) return ESCAPES.includes(byte);
  for (let offset = 1; offset <= 4; offset++) if (!isHex(json[at + offset] ?? 0)) return false;
  return true;
}

function isHex(byte: number): boolean {
  const small = byte | TO_SMALL;
  return isDigit(byte) || (small >= 0x61 && small <= 0x66);
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE;
}

function numberEnd(json: Uint8Array, from: number): number {
  const start = json[from] === MINUS ? from + 1 : from;
  let at = json[start] === ZERO ? start + 1 : digitsEnd(json, start);
  if (at !== BROKEN && json[at] === DOT) at = digitsEnd(json, at + 1);
  if (at === BROKEN || ((json[at] ?? 0) | TO_SMALL) !== LETTER_E) return at;
  const sign = json[at + 1];
  return digitsEnd(json, sign === MINUS || sign === 0x2b ? at + 2 : at + 1);
}

function digitsEnd(json: Uint8Array, from: number): number {
  let at = from;
  while (at < json.length && isDigit(json[at] ?? 0)) at++;
  return at === from ? BROKEN : at;
}

/** The end of a value of text that is JSON. */
function valueEnd(json: Uint8Array, from: number): number {
  if (!isOpening(json[from])) return scalarEnd(json, from);
  let depth = 0;
  for (let at = from; at < json.length; at++) {
    const byte = json[at] ?? 0;
    if (byte === QUOTE) at = stringEnd(json, at) - 1;
    else if (isOpening(byte)) depth++;
    else if (isOpening(byte - TO_CLOSING) && --depth === 0) return at + 1;
  }
  return json.length;
}

function nameOf<Name extends string>(
  json: Uint8Array,
  { start, end }: JsonSpan,
  names: readonly Name[],
): Name | undefined {
  for (const name of names) if (name.length === end - start - 2 && isWritten(json, start + 1, name)) return name;
  return undefined;
}

function isWritten(json: Uint8Array, start: number, name: string): boolean {
  for (let index = 0; index < name.length; index++) {
    if (json[start + index] !== name.charCodeAt(index)) return false;
  }
  return true;
}
