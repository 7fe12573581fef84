import { describe, expectNumber, type Native, type NativeTable } from './native.ts';
import { meter } from './meter.ts';
import { absoluteLiteral } from './number-literal.ts';
import { raise } from './signals.ts';
import type { JsonValue } from './value.ts';

const ONE_ARGUMENT: Readonly<Record<string, (x: number) => number>> = {
  acos: Math.acos,
  acosh: Math.acosh,
  asin: Math.asin,
  asinh: Math.asinh,
  atan: Math.atan,
  atanh: Math.atanh,
  cbrt: Math.cbrt,
  ceil: Math.ceil,
  cos: Math.cos,
  cosh: Math.cosh,
  exp: Math.exp,
  exp2: (x) => 2 ** x,
  exp10: (x) => 10 ** x,
  expm1: Math.expm1,
  fabs: Math.abs,
  floor: Math.floor,
  log: Math.log,
  log10: Math.log10,
  log1p: Math.log1p,
  log2: Math.log2,
  pow10: (x) => 10 ** x,
  round: (x) => Math.sign(x) * Math.round(Math.abs(x)),
  significand,
  sin: Math.sin,
  sinh: Math.sinh,
  sqrt: Math.sqrt,
  tan: Math.tan,
  tanh: Math.tanh,
  trunc: Math.trunc,
};

const TWO_ARGUMENTS: Readonly<Record<string, (x: number, y: number) => number>> = {
  atan2: Math.atan2,
  copysign: (x, y) => (y < 0 || Object.is(y, -0) ? -Math.abs(x) : Math.abs(x)),
  fdim: (x, y) => (Number.isNaN(x) || Number.isNaN(y) ? Number.NaN : Math.max(0, x - y)),
  fmax: (x, y) => (Number.isNaN(x) ? y : Number.isNaN(y) ? x : Math.max(x, y)),
  fmin: (x, y) => (Number.isNaN(x) ? y : Number.isNaN(y) ? x : Math.min(x, y)),
  fmod: (x, y) => x % y,
  hypot: Math.hypot,
  ldexp: (x, y) => x * 2 ** y,
  pow: (x, y) => x ** y,
  scalb: (x, y) => x * 2 ** y,
  scalbln: (x, y) => x * 2 ** y,
};

/** Arithmetic beyond the operators. */
export const MATH_BUILTINS: NativeTable = {
  ...Object.fromEntries(
    Object.entries(ONE_ARGUMENT).map(([name, apply]): [string, Native] => [
      `${name}/0`,
      (input) => apply(expectNumber(input)),
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(TWO_ARGUMENTS).map(([name, apply]): [string, Native] => [
      `${name}/2`,
      (_input, x, y) => apply(expectNumber(x), expectNumber(y)),
    ]),
  ),
  'fma/3': (_input, x, y, z) => expectNumber(x) * expectNumber(y) + expectNumber(z),
  'modf/0': (input) => modf(expectNumber(input)),
  'abs/0': (input) => {
    if (typeof input === 'number') return input < 0 ? -input : input;
    if (typeof input === 'symbol') return absoluteLiteral(input);
    if (input === null || typeof input === 'boolean') raise(`${describe(input)} cannot be negated`);
    return input;
  },
  'infinite/0': () => Number.POSITIVE_INFINITY,
  'nan/0': () => Number.NaN,
  'isinfinite/0': (input) => Math.abs(expectNumber(input)) === Number.POSITIVE_INFINITY,
  'isnan/0': (input) => Number.isNaN(expectNumber(input)),
  'isnormal/0': (input) => isNormal(expectNumber(input)),
  'have_literal_numbers/0': () => true,
  'have_decnum/0': () => meter().numbers !== 'doubles',
};

/**
 * Functions of the C library that jq has and this package does not have: numerical code that no hook needs. A program
 * that calls one does not compile.
 */
export const ONLY_IN_C: ReadonlySet<string> = new Set([
  'drem',
  'frexp',
  'gamma',
  'j0',
  'j1',
  'lgamma',
  'lgamma_r',
  'logb',
  'nearbyint',
  'nextafter',
  'nexttoward',
  'rint',
  'tgamma',
  'y0',
  'y1',
]);

/** `x` divided by the power of two that brings its absolute value into [1, 2). */
function significand(x: number): number {
  if (x === 0 || !Number.isFinite(x)) return x;
  const scaled = x / 2 ** Math.floor(Math.log2(Math.abs(x)));
  // The logarithm of a number just below a power of two may be rounded up to the next integer.
  return Math.abs(scaled) < 1 ? scaled * 2 : scaled;
}

const SMALLEST_NORMAL = 2 ** -1022;

function isNormal(x: number): boolean {
  return Number.isFinite(x) && Math.abs(x) >= SMALLEST_NORMAL;
}

function modf(x: number): JsonValue {
  if (!Number.isFinite(x)) return [Number.isNaN(x) ? x : 0, x];
  return [x - Math.trunc(x), Math.trunc(x)];
}
