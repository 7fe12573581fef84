import { DepthExceeded, readJson } from './json-reader.ts';
import { meter } from './meter.ts';
import type { Numbers } from './number-literal.ts';
import { MAX_DEPTH, type JsonValue } from './value.ts';

/** Thrown for text that is not one JSON value; the message says where and why, as jq does. */
export class JsonTextError extends Error {
  override readonly name = 'JsonTextError';
}

/**
 * Parses one JSON value; like jq, it accepts `nan` and `Infinity` and keeps the order of keys. Throws a JsonTextError,
 * whose message counts lines from `firstLine`.
 */
export function parseJson(text: string, firstLine = 1, numbers: Numbers = 'doubles'): JsonValue {
  // Parsing costs about one step per two characters.
  meter().text(text.length);
  meter().spend(text.length >>> 1);
  try {
    if (!needsCare(text, numbers)) {
      const value: JsonValue = JSON.parse(text);
      return value;
    }
  } catch {
    // The reader decides, and takes more than JSON.parse.
  }
  return readCarefully(text, firstLine, numbers);
}

function readCarefully(text: string, firstLine: number, numbers: Numbers): JsonValue {
  try {
    const value = readJson(text, numbers);
    return value === undefined ? JSON.parse(text) : value;
  } catch (cause) {
    const message =
      cause instanceof DepthExceeded
        ? `${cause.message} at ${place(text, cause.offset, firstLine)}`
        : describeProblem(text, firstLine, cause);
    throw new JsonTextError(message, { cause });
  }
}

const INDEX_KEY = /"\d{1,10}"\s*:/;
const LONG_NUMBER = /\d{16}/;
// Numbers that jq writes in another way than JavaScript: with an exponent, or zeros that a double does not keep.
const UNUSUAL_NUMBER = /\d{16}|\d[eE]|\.\d*0(?!\d)|\.0{4}/;

/** Whether JSON.parse might not make of the text what jq does. */
function needsCare(text: string, numbers: Numbers): boolean {
  if (INDEX_KEY.test(text) || (text.length > 2 * MAX_DEPTH && isDeep(text))) return true;
  if (numbers === 'doubles') return false;
  return (numbers === 'integers' ? LONG_NUMBER : UNUSUAL_NUMBER).test(text);
}

/** Whether the text has brackets of more levels than jq takes; those within strings count too. */
function isDeep(text: string): boolean {
  let depth = 0;
  for (let index = 0; index < text.length && depth <= MAX_DEPTH; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 91 || code === 123) depth += 1;
    else if (code === 93 || code === 125) depth -= 1;
  }
  return depth > MAX_DEPTH;
}

function describeProblem(text: string, firstLine: number, cause: unknown): string {
  const body = text.trim();
  const at = (offset: number): string => place(text, offset, firstLine);
  if (body === '') return 'Expected JSON value';
  const end = `at EOF at ${at(text.length)}`;
  if (isUnfinishedString(body)) return `Unfinished string ${end}`;
  if (/^[^\s[\]{},:"]+$/.test(body)) return `Invalid ${/^[tfn]/.test(body) ? 'literal' : 'numeric literal'} ${end}`;
  const reason = cause instanceof Error ? cause.message : String(cause);
  if (/end of JSON input|Expected .* in JSON at position \d+ \(.*\)$/.test(reason) && offsetIn(reason) >= body.length) {
    return `Unfinished JSON term ${end}`;
  }
  if (reason.includes('Unexpected non-whitespace')) return 'Unexpected extra JSON values';
  return `${describeAt(text, offsetIn(reason))} ${at(placeOf(text, offsetIn(reason)))}`;
}

function isSingleQuote(text: string, offset: number): boolean {
  return text[offset] === "'";
}

function describeAt(text: string, offset: number): string {
  return isSingleQuote(text, offset) ? `Invalid string literal; expected ", but got ' at` : 'Invalid JSON text at';
}

function placeOf(text: string, offset: number): number {
  if (isSingleQuote(text, offset)) return tokenEnd(text, offset);
  return Number.isFinite(offset) ? offset : text.length;
}

/** The offset after the character that ends the word at `offset`. */
function tokenEnd(text: string, offset: number): number {
  const end = text.slice(offset).search(/[\s[\]{},:"]/);
  return end < 0 ? text.length : offset + end + 1;
}

function isUnfinishedString(body: string): boolean {
  return (body.replaceAll(/\\[^]/g, '').match(/"/g)?.length ?? 0) % 2 === 1;
}

function offsetIn(reason: string): number {
  const position = /at position (\d+)/.exec(reason)?.[1];
  return position === undefined ? Number.POSITIVE_INFINITY : Number(position);
}

function place(text: string, offset: number, firstLine: number): string {
  const before = text.slice(0, offset);
  return `line ${before.split('\n').length - 1 + firstLine}, column ${Buffer.byteLength(before.slice(before.lastIndexOf('\n') + 1))}`;
}
