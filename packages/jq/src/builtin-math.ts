import { frexp, lgamma, tgamma } from './gamma.ts';
import { describe, expectNumber, type Native, type NativeTable } from './native.ts';
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
  gamma: lgamma,
  lgamma,
  log: Math.log,
  log10: Math.log10,
  log1p: Math.log1p,
  log2: Math.log2,
  logb: (x) => (x === 0 ? Number.NEGATIVE_INFINITY : Number.isFinite(x) ? frexp(x)[1] - 1 : Math.abs(x)),
  nearbyint: roundHalfEven,
  pow10: (x) => 10 ** x,
  rint: roundHalfEven,
  round: (x) => Math.sign(x) * Math.round(Math.abs(x)),
  significand: (x) => (x === 0 || !Number.isFinite(x) ? x : frexp(x)[0] * 2),
  sin: Math.sin,
  sinh: Math.sinh,
  sqrt: Math.sqrt,
  tan: Math.tan,
  tanh: Math.tanh,
  tgamma,
  trunc: Math.trunc,
};

const TWO_ARGUMENTS: Readonly<Record<string, (x: number, y: number) => number>> = {
  atan2: Math.atan2,
  copysign: (x, y) => (y < 0 || Object.is(y, -0) ? -Math.abs(x) : Math.abs(x)),
  drem: (x, y) => x - y * roundHalfEven(x / y),
  fdim: (x, y) => (Number.isNaN(x) || Number.isNaN(y) ? Number.NaN : Math.max(0, x - y)),
  fmax: (x, y) => (Number.isNaN(x) ? y : Number.isNaN(y) ? x : Math.max(x, y)),
  fmin: (x, y) => (Number.isNaN(x) ? y : Number.isNaN(y) ? x : Math.min(x, y)),
  fmod: (x, y) => x % y,
  hypot: Math.hypot,
  ldexp: (x, y) => x * 2 ** y,
  nextafter: nextAfter,
  nexttoward: nextAfter,
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
  'frexp/0': (input) => frexp(expectNumber(input)),
  'modf/0': (input) => modf(expectNumber(input)),
  'lgamma_r/0': (input) => [lgamma(expectNumber(input)), tgamma(expectNumber(input)) < 0 ? -1 : 1],
  'abs/0': (input) => {
    if (typeof input !== 'number') raise(`${describe(input)} has no absolute value`);
    return input < 0 ? -input : input;
  },
  'infinite/0': () => Number.POSITIVE_INFINITY,
  'nan/0': () => Number.NaN,
  'isinfinite/0': (input) => Math.abs(expectNumber(input)) === Number.POSITIVE_INFINITY,
  'isnan/0': (input) => Number.isNaN(expectNumber(input)),
  'isnormal/0': (input) => isNormal(expectNumber(input)),
  'have_literal_numbers/0': () => true,
  'have_decnum/0': () => false,
};

function roundHalfEven(x: number): number {
  const rounded = Math.round(x);
  return Math.abs(x % 1) === 0.5 && rounded % 2 !== 0 ? rounded - 1 : rounded;
}

const SMALLEST_NORMAL = 2 ** -1022;

function isNormal(x: number): boolean {
  return Number.isFinite(x) && Math.abs(x) >= SMALLEST_NORMAL;
}

function modf(x: number): JsonValue {
  if (!Number.isFinite(x)) return [Number.isNaN(x) ? x : 0, x];
  return [x - Math.trunc(x), Math.trunc(x)];
}

function nextAfter(x: number, y: number): number {
  if (Number.isNaN(x) || Number.isNaN(y)) return Number.NaN;
  if (x === y) return y;
  if (x === 0) return y > 0 ? Number.MIN_VALUE : -Number.MIN_VALUE;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, x);
  const isAway = y > x === x > 0;
  view.setBigInt64(0, view.getBigInt64(0) + (isAway ? 1n : -1n));
  return view.getFloat64(0);
}
