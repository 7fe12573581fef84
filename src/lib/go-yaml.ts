/*
 * The plain words of YAML as Go's YAML packages read them, which shell-operator and kubectl use. They are those of YAML
 * 1.1 in part: a leading zero makes a number octal (`0400` is 256), `_` may divide digits, `0b11` is 3. The two packages
 * differ in words such as `yes`, which one of them reads as booleans, and in timestamps.
 */

import type { ScalarTag, Tags } from 'yaml';
import { exactInteger } from './exact-json.ts';
import { goTimestamp } from './go-timestamp.ts';

/**
 * `typed`: gopkg.in/yaml.v3, by which files are read into fields that have types: `yes` is a string, a date a time.
 * `untyped`: sigs.k8s.io/yaml, by which configs, manifests and strings are read: `yes` is a boolean, a date a string.
 */
export type GoDialect = 'typed' | 'untyped';

/** The words that are booleans in `untyped` YAML, and in fields of `typed` YAML that are booleans. */
export const YES_NO = /^(?:[yY]|[yY]es|YES|[oO]n|ON|[nN]|[nN]o|NO|[oO]ff|OFF)$/;

const PREFIX = 'tag:yaml.org,2002:';
const KEPT: ReadonlySet<string> = new Set(['map', 'seq', 'str', 'merge'].map((name) => PREFIX + name));
const RADIXES = { x: 16, b: 2, o: 8 } as const;
const MAX_INT = 2n ** 63n - 1n;
const MAX_UINT = 2n ** 64n - 1n;
/** Longer words are no numbers of 64 bits, and cost time. */
const MAX_WORD = 100;

/** The tags of a dialect, in place of those that the YAML library knows. */
export function goTags(dialect: GoDialect): (known: Tags) => Tags {
  const own = [nothing, trueFalse, ...(dialect === 'untyped' ? [yesNo, date] : [timestamp]), number, integer, binary];
  return (known) => [...known.filter((tag) => typeof tag !== 'string' && KEPT.has(tag.tag)), ...own];
}

/** Whether one of the words of `YES_NO` means true. */
export function isYes(word: string): boolean {
  return /^(?:y|on)/i.test(word);
}

const nothing: ScalarTag = {
  tag: `${PREFIX}null`,
  default: true,
  test: /^(?:~|[Nn]ull|NULL)?$/,
  resolve: () => null,
};

const trueFalse: ScalarTag = {
  tag: `${PREFIX}bool`,
  default: true,
  test: /^(?:true|True|TRUE|false|False|FALSE)$/,
  resolve: (word) => /^t/i.test(word),
};

const yesNo: ScalarTag = { tag: `${PREFIX}bool`, default: true, test: YES_NO, resolve: isYes };

const timestamp: ScalarTag = {
  tag: `${PREFIX}timestamp`,
  default: true,
  test: /^\d{4}-\d/,
  resolve: (word) => goTimestamp(word) ?? goNumber(word),
};

const date: ScalarTag = { tag: `${PREFIX}timestamp`, resolve: (word) => word };

const number: ScalarTag = {
  tag: `${PREFIX}float`,
  default: true,
  test: /^[-+.0-9]/,
  resolve: (word, onError) => {
    if (INFINITE.test(word)) onError(`${word} is no number of JSON`);
    return goNumber(word);
  },
};

const INFINITE = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;

const integer: ScalarTag = { tag: `${PREFIX}int`, resolve: goNumber };

const binary: ScalarTag = {
  tag: `${PREFIX}binary`,
  resolve: (text) => Buffer.from(text, 'base64').toString('utf8'),
};

const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;

/** The number that a word means, kept as its text if a number cannot hold it; the word itself if it means none. */
function goNumber(word: string): unknown {
  if (word.length > MAX_WORD) return word;
  // Behind a leading dot Go does not take `_`.
  const plain = word.startsWith('.') ? word : word.replaceAll('_', '');
  const whole = goInteger(plain);
  if (whole !== undefined) return whole;
  const float = FLOAT.test(plain) ? Number(plain) : Infinity;
  return Number.isFinite(float) ? float : word;
}

/** A whole number of 64 bits. */
function goInteger(plain: string): unknown {
  const [, sign = '', prefix = '', digits = ''] = WHOLE.exec(plain) ?? [];
  if (digits === '') return undefined;
  if (prefix === '') return decimal(sign, digits);
  const letter = prefix.slice(1).toLowerCase();
  const radix = letter === 'x' || letter === 'b' ? RADIXES[letter] : RADIXES.o;
  return hasRadix(digits, radix) ? ofRadix(sign, digits, radix) : undefined;
}

const WHOLE = /^([-+]?)(0[xX]|0[bB]|0[oO]|0(?=[0-9]))?([0-9a-fA-F]+)$/;
const DIGITS: Readonly<Record<number, RegExp>> = { 2: /^[01]+$/, 8: /^[0-7]+$/, 16: /^[0-9a-fA-F]+$/ };

function hasRadix(digits: string, radix: number): boolean {
  return DIGITS[radix]?.test(digits) === true;
}

function decimal(sign: string, digits: string): unknown {
  return /^[0-9]+$/.test(digits) ? bounded(sign, BigInt(digits)) : undefined;
}

function ofRadix(sign: string, digits: string, radix: 2 | 8 | 16): unknown {
  const prefix = { 2: '0b', 8: '0o', 16: '0x' } as const;
  return bounded(sign, BigInt(prefix[radix] + digits));
}

function bounded(sign: string, magnitude: bigint): unknown {
  // Go takes numbers above 2^63 without a sign only.
  const limit = sign === '' ? MAX_UINT : MAX_INT + (sign === '-' ? 1n : 0n);
  if (magnitude > limit) return undefined;
  return exactInteger(String(sign === '-' ? -magnitude : magnitude));
}
