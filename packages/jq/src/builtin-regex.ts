import { meter } from './meter.ts';
import { describe, type NativeTable, type SpreadTable } from './native.ts';
import { findMatches, hasMatch, regexFrom, type Regex, type RegexMatch } from './regex.ts';
import { raise } from './signals.ts';
import { hasSurrogates, isArray, setOwn, typeName, type JsonObject, type JsonValue } from './value.ts';

/** Regular expression builtins with one output. */
export const REGEX_BUILTINS: NativeTable = {
  'test/1': (input, pattern) => hasMatch(subject(input), combined(pattern)),
  'test/2': (input, pattern, flags) => hasMatch(subject(input), regexFrom(pattern, flags)),
  'split/2': (input, pattern, flags) => [...pieces(input, pattern, flags)],
};

/** Regular expression builtins with an output for each match. */
export const REGEX_SPREADS: SpreadTable = {
  'match/1': (input, pattern) => findMatches(subject(input), combined(pattern)).map(matchObject),
  'match/2': (input, pattern, flags) => findMatches(subject(input), regexFrom(pattern, flags)).map(matchObject),
  'capture/1': (input, pattern) => findMatches(subject(input), combined(pattern)).map(captureObject),
  'capture/2': (input, pattern, flags) => findMatches(subject(input), regexFrom(pattern, flags)).map(captureObject),
  'scan/1': (input, pattern) => scan(input, pattern, null),
  'scan/2': scan,
  'splits/1': (input, pattern) => pieces(input, pattern, null),
  'splits/2': pieces,
};

/** A match that `sub` replaces: its offsets in code points, and its captures by name, the input of the replacement. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly captures: JsonObject;
}

/** The matches that `sub` replaces. */
export function findEdits(input: JsonValue, pattern: JsonValue, flags: JsonValue): readonly Edit[] {
  return findMatches(subject(input), regexFrom(pattern, flags)).map((match) => ({
    start: match.offset,
    end: match.offset + match.length,
    captures: captureObject(match),
  }));
}

/** The text in a form that can be sliced by code point offsets; text without surrogates is returned as it is. */
export function characters(text: string): { slice(start: number, end?: number): string } {
  if (!hasSurrogates(text)) return text;
  meter().places(text.length);
  const points = Array.from(text);
  return { slice: (start, end) => points.slice(start, end).join('') };
}

/** Returns the input of a regex builtin; raises an error if it is not a string. */
export function subject(input: JsonValue): string {
  return typeof input === 'string' ? input : raise(`${describe(input)} cannot be matched, as it is not a string`);
}

/** Compiles an argument that is a pattern or `[pattern, flags]`. */
function combined(pattern: JsonValue): Regex {
  if (isArray(pattern)) return regexFrom(pattern[0] ?? null, pattern[1] ?? null);
  if (typeof pattern !== 'string') raise(`${typeName(pattern)} not a string or array`);
  return regexFrom(pattern, null);
}

function matchObject(match: RegexMatch): JsonValue {
  const { offset, length, string } = match;
  const captures = match.captures.map((capture) => ({ ...capture }));
  return { offset, length, string, captures };
}

function captureObject(match: RegexMatch): JsonObject {
  const object: Record<string, JsonValue> = {};
  for (const { name, string } of match.captures) {
    if (name !== null) setOwn(object, name, string);
  }
  return object;
}

function scan(input: JsonValue, pattern: JsonValue, flags: JsonValue): readonly JsonValue[] {
  return findMatches(subject(input), regexFrom(pattern, withGlobal(flags))).map(({ string, captures }) =>
    captures.length === 0 ? string : captures.map((capture) => capture.string),
  );
}

/** The parts of the text between the matches. */
function pieces(input: JsonValue, pattern: JsonValue, flags: JsonValue): readonly JsonValue[] {
  const text = subject(input);
  const source = characters(text);
  const found: JsonValue[] = [];
  let from = 0;
  for (const { offset, length } of findMatches(text, regexFrom(pattern, withGlobal(flags)))) {
    found.push(source.slice(from, offset));
    from = offset + length;
  }
  return [...found, source.slice(from)];
}

/** Adds the flag `g` to the flags of a regex builtin. */
export function withGlobal(flags: JsonValue): JsonValue {
  return flags === null ? 'g' : typeof flags === 'string' ? `${flags}g` : flags;
}
