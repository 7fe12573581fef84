import { translatePattern } from './regex-syntax.ts';
import { raise } from './signals.ts';
import { meter } from './meter.ts';
import { describe } from './native.ts';
import { costOf, worstCaseOf, type RegexCost } from './regex-cost.ts';
import { codePointCounter } from './text-search.ts';
import { codePointLength, type JsonValue } from './value.ts';

/** One match as jq reports it; offsets and lengths count code points. */
export interface RegexMatch {
  readonly offset: number;
  readonly length: number;
  readonly string: string;
  readonly captures: readonly RegexCapture[];
}

/** One capture of a match as jq reports it; for a group that took no part, `offset` is -1 and `string` null. */
export interface RegexCapture {
  readonly offset: number;
  readonly length: number;
  readonly string: string | null;
  readonly name: string | null;
}

/** A compiled pattern. With `isGlobal`, a search finds all matches; with `skipsEmpty`, it leaves out empty ones. */
export interface Regex {
  readonly pattern: RegExp;
  readonly names: readonly (string | null)[];
  readonly cost: RegexCost;
  readonly isGlobal: boolean;
  readonly skipsEmpty: boolean;
}

/**
 * Checks the arguments of a regex builtin and compiles them; raises an error if they are invalid. Short patterns are
 * cached.
 */
export function regexFrom(pattern: JsonValue, flags: JsonValue): Regex {
  if (typeof pattern !== 'string') return raise(`${describe(pattern)} cannot be matched, as it is not a string`);
  if (flags !== null && typeof flags !== 'string') return raise(`${describe(flags)} is not a string`);
  const key = `${flags ?? ''}/${pattern}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  const regex = compileRegex(pattern, flags ?? '');
  if (pattern.length > MAX_CACHED_LENGTH) return regex;
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(key, regex);
  return regex;
}

const MAX_CACHED = 200;
const MAX_CACHED_LENGTH = 1000;
const cache = new Map<string, Regex>();

/** Returns all matches of `regex` in `text` if it is global, otherwise at most the first. */
export function findMatches(text: string, regex: Regex): readonly RegexMatch[] {
  const matches: RegexMatch[] = [];
  const offsetOf = codePointCounter(text);
  const { pattern } = regex;
  pattern.lastIndex = 0;
  for (let found = execute(regex, text); found !== null; found = execute(regex, text)) {
    meter().spend(found.length);
    const [string] = found;
    if (string === '') pattern.lastIndex += (text.codePointAt(pattern.lastIndex) ?? 0) > 0xffff ? 2 : 1;
    if (string === '' && regex.skipsEmpty) continue;
    matches.push({
      offset: offsetOf(found.index),
      length: codePointLength(string),
      string,
      captures: capturesOf(found, regex, offsetOf),
    });
    if (!regex.isGlobal) break;
  }
  return matches;
}

/** Whether `regex` matches somewhere in `text`. */
export function hasMatch(text: string, regex: Regex): boolean {
  if (regex.skipsEmpty) return findMatches(text, { ...regex, isGlobal: false }).length > 0;
  regex.pattern.lastIndex = 0;
  meter().text(text.length);
  return meter().unbroken(worstCaseOf(regex.cost, text.length), () => regex.pattern.test(text));
}

function execute({ pattern, cost }: Regex, text: string): RegExpExecArray | null {
  return meter().unbroken(worstCaseOf(cost, text.length - pattern.lastIndex), () => pattern.exec(text));
}

function compileRegex(source: string, flags: string): Regex {
  meter().spend(source.length);
  const unknown = /[^gimnpslx]/.exec(flags);
  if (unknown !== null) raise(`${flags} is not a valid modifier string`);
  const { pattern, names } = translatePattern(source, {
    isExtended: flags.includes('x'),
    dotMatchesNewline: flags.includes('p'),
    isMultiline: false,
  });
  const options = flags.includes('i') ? 'dgiu' : 'dgu';
  try {
    return {
      pattern: new RegExp(pattern, options),
      names,
      cost: costOf(pattern),
      isGlobal: flags.includes('g'),
      skipsEmpty: flags.includes('n'),
    };
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^Invalid regular expression: \/.*\/\w*: /s, '') : '';
    return raise(`${source} (at offset 0) is not a valid regex: ${reason}`);
  }
}

function capturesOf(
  found: RegExpExecArray,
  { names }: Regex,
  offsetOf: (index: number) => number,
): readonly RegexCapture[] {
  return found.slice(1).map((string, index) => {
    const name = names[index] ?? null;
    const start = found.indices?.[index + 1]?.[0];
    // A group that took no part in the match is undefined in `found`, although its type is string.
    if (start === undefined) return { offset: -1, string: null, length: 0, name };
    return { offset: offsetOf(start), length: codePointLength(string), string, name };
  });
}
