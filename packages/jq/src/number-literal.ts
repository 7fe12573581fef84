// A number of JSON text or of a program may have more digits than a double holds. A program that only passes it on must
// not change it, so it is kept as a literal: a symbol whose description is its canonical text. A symbol is the one
// primitive that is neither a number, a text nor a container to the code for these, which therefore does not have to
// look for literals. What computes with a literal takes the double that is nearest to it, as jq does.

/**
 * Which numbers are kept as they are written: none; whole numbers above 2^53; or all, with their zeros and exponents, as
 * jq does since 1.7.
 */
export type Numbers = 'doubles' | 'integers' | 'literals';

/** The value of a number as it is written: a double, or a literal if `numbers` says that it is to be kept. */
export function readNumber(text: string, numbers: Numbers): number | symbol {
  const value = Number(text);
  if (numbers === 'doubles') return value;
  if (numbers === 'integers' && (Number.isSafeInteger(value) || !/^-?\d+$/.test(text))) return value;
  if (Number.isSafeInteger(value) && String(value) === text) return value;
  return Symbol(canonicalText(text));
}

/** The text of a literal. */
export function literalText(literal: symbol): string {
  return literal.description ?? '0';
}

/** The double of a number or a literal; undefined for any other value. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'symbol' ? Number(literalText(value)) : undefined;
}

/** `-literal` */
export function negateLiteral(literal: symbol): symbol {
  const text = literalText(literal);
  return Symbol(text.startsWith('-') ? text.slice(1) : `-${text}`);
}

/** The literal without its sign. */
export function absoluteLiteral(literal: symbol): symbol {
  return literalText(literal).startsWith('-') ? negateLiteral(literal) : literal;
}

/** Compares two literals by all their digits. */
export function compareLiterals(left: symbol, right: symbol): number {
  const a = decimalOf(literalText(left));
  const b = decimalOf(literalText(right));
  if (a.sign !== b.sign) return a.sign - b.sign;
  return a.sign * compareSizes(a, b);
}

interface Decimal {
  /** -1, 0 or 1. */
  readonly sign: number;
  /** Without leading zeros; `0` for zero. */
  readonly digits: string;
  /** The power of ten of the last digit. */
  readonly exponent: number;
}

const PARTS = /^([-+]?)(\d*)\.?(\d*)(?:[eE]([-+]?\d+))?$/;

function decimalOf(text: string): Decimal {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = PARTS.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+(?=.)/, '');
  const isZero = /^0*$/.test(digits);
  return { sign: isZero ? 0 : sign === '-' ? -1 : 1, digits, exponent: Number(exponent) - fraction.length };
}

function compareSizes(a: Decimal, b: Decimal): number {
  const difference = a.digits.length + a.exponent - (b.digits.length + b.exponent);
  if (difference !== 0) return difference;
  const length = Math.max(a.digits.length, b.digits.length);
  const left = a.digits.padEnd(length, '0');
  const right = b.digits.padEnd(length, '0');
  return left === right ? 0 : left < right ? -1 : 1;
}

/** The text in jq's form: with an exponent only if it is positive, or more than five zeros would follow the point. */
function canonicalText(text: string): string {
  const { digits, exponent } = decimalOf(text);
  const sign = text.startsWith('-') ? '-' : '';
  const power = digits.length - 1 + exponent;
  if (exponent > 0 || power < -6) return sign + scientific(digits, power);
  if (exponent === 0) return sign + digits;
  const padded = digits.padStart(1 - exponent, '0');
  return `${sign}${padded.slice(0, exponent)}.${padded.slice(exponent)}`;
}

function scientific(digits: string, power: number): string {
  const fraction = digits.length > 1 ? `.${digits.slice(1)}` : '';
  return `${digits.slice(0, 1)}${fraction}E${power < 0 ? '-' : '+'}${Math.abs(power)}`;
}
