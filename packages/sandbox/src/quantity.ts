import type { JsonValue } from './json.ts';

/** The value of a quantity such as `500m` or `1Gi`, in billionths, rounded up; undefined if the text is none. */
export function quantityValue(text: string): bigint | undefined {
  const [, sign = '', whole = '', fraction = '', suffix = ''] = FORM.exec(text) ?? [];
  const factor = factorOf(suffix);
  if (whole + fraction === '' || factor === undefined || text.length > MOST_CHARS) return undefined;
  const divisor = factor.divisor * 10n ** BigInt(fraction.length);
  const size = (BigInt(whole + fraction) * factor.dividend + divisor - 1n) / divisor;
  return sign === '-' ? -size : size;
}

/** The value of a quantity in JSON, in billionths; what is none counts as nothing. */
export function amountOf(value: JsonValue | undefined): bigint {
  return typeof value === 'string' || typeof value === 'number' ? (quantityValue(String(value)) ?? 0n) : 0n;
}

/** Why the text is no quantity to an API server, in its words; undefined where it is one. */
export function quantityProblem(text: string): string | undefined {
  const match = FORM.exec(text);
  if (match === null || text === '') return FORM_PROBLEM;
  if (factorOf(match[4] ?? '') === undefined) return "unable to parse quantity's suffix";
  return quantityValue(text) === undefined ? 'unable to parse numeric part of quantity' : undefined;
}

// Digits belong to one group alone, so that a text of millions of them is read once.
const FORM = /^([+-]?)(\d*)(?:\.(\d*))?((?:(?:[eEinumkKMGTP]+[-+]?|[-+])\d*)?)$/;
const FORM_PROBLEM = `quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'`;
const EXPONENT = /^[eE]([+-]?\d+)$/;
const BILLION = 10n ** 9n;

/** A number of more digits is refused, as its powers would take minutes. */
const MOST_CHARS = 1000;
/** With an exponent beyond this, all values are as good as endless, or nothing. */
const MOST_EXPONENT = 1000;

interface Factor {
  readonly dividend: bigint;
  readonly divisor: bigint;
}

/** By what the number before the suffix is multiplied for billionths; undefined if there is no such suffix. */
function factorOf(suffix: string): Factor | undefined {
  const exponent = EXPONENT.exec(suffix)?.[1];
  const decimal = exponent === undefined ? DECIMAL.get(suffix) : Number(exponent);
  if (decimal !== undefined) return power(Math.max(-MOST_EXPONENT, Math.min(MOST_EXPONENT, decimal)));
  const binary = BINARY.indexOf(suffix);
  return binary === -1 ? undefined : { dividend: BILLION * 1024n ** BigInt(binary + 1), divisor: 1n };
}

function power(exponent: number): Factor {
  const size = 10n ** BigInt(Math.abs(exponent));
  return exponent < 0 ? { dividend: BILLION, divisor: size } : { dividend: BILLION * size, divisor: 1n };
}

const BINARY = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const DECIMAL: ReadonlyMap<string, number> = new Map([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
]);
