import { meter } from './meter.ts';
import type { JsonValue } from './value.ts';

/** Thrown for text that is not one JSON value; the message says where and why, as jq does. */
export class JsonTextError extends Error {
  override readonly name = 'JsonTextError';
}

/**
 * Parses one JSON value; like jq, it accepts `nan`. Throws a JsonTextError, whose message counts lines from
 * `firstLine`.
 */
export function parseJson(text: string, firstLine = 1): JsonValue {
  // Parsing costs about one step per two characters.
  meter().text(text.length);
  meter().spend(text.length >>> 1);
  const literal = text.trim();
  if (literal === 'nan' || literal === 'NaN') return Number.NaN;
  try {
    const value: JsonValue = JSON.parse(text);
    return value;
  } catch (cause) {
    throw new JsonTextError(describeProblem(text, firstLine, cause), { cause });
  }
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
  const offset = offsetIn(reason);
  return `Invalid JSON text at ${at(Number.isFinite(offset) ? offset : text.length)}`;
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
