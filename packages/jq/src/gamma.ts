// Coefficients of the Lanczos approximation with g = 7 and nine terms.
const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

/** The gamma function. */
export function tgamma(x: number): number {
  if (Number.isInteger(x)) return x > 0 ? factorial(x - 1) : x === 0 ? Number.POSITIVE_INFINITY : Number.NaN;
  if (x < 0.5) return Math.PI / (Math.sin(Math.PI * x) * tgamma(1 - x));
  return Math.exp(lgamma(x));
}

/** The natural logarithm of the absolute value of the gamma function. */
export function lgamma(x: number): number {
  if (x <= 0 && Number.isInteger(x)) return Number.POSITIVE_INFINITY;
  if (Number.isInteger(x) && x < 20) return Math.log(factorial(x - 1));
  if (x < 0.5) return Math.log(Math.abs(Math.PI / Math.sin(Math.PI * x))) - lgamma(1 - x);
  const shifted = x - 1;
  const base = shifted + 7.5;
  const sum = LANCZOS.reduce((total, coefficient, index) =>
    index === 0 ? total : total + coefficient / (shifted + index),
  );
  return 0.5 * Math.log(2 * Math.PI) + (shifted + 0.5) * Math.log(base) - base + Math.log(sum);
}

/** A fraction in [0.5, 1) and a power of two whose product is `x`. */
export function frexp(x: number): [number, number] {
  if (x === 0 || !Number.isFinite(x)) return [x, 0];
  let exponent = Math.max(-1022, Math.floor(Math.log2(Math.abs(x))) + 1);
  let fraction = x * 2 ** -exponent;
  while (Math.abs(fraction) < 0.5) {
    fraction *= 2;
    exponent -= 1;
  }
  while (Math.abs(fraction) >= 1) {
    fraction /= 2;
    exponent += 1;
  }
  return [fraction, exponent];
}

const MAX_FACTORIAL = 170;

function factorial(n: number): number {
  // What is larger than any double.
  if (n > MAX_FACTORIAL) return Number.POSITIVE_INFINITY;
  let product = 1;
  for (let factor = 2; factor <= n; factor += 1) product *= factor;
  return product;
}
