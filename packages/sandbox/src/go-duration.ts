/** Whether Go reads the text as a duration, such as `1h30m`: its parts have units, and the sum is within 64 bits. */
export function isGoDuration(text: string): boolean {
  const unsigned = text.replace(/^[+-]/, '');
  if (unsigned === '0') return true;
  if (text.length > MOST_CHARS || !FORM.test(unsigned)) return false;
  const sum = [...unsigned.matchAll(PART)].reduce((total, part) => total + nanoseconds(part), 0n);
  return sum < LIMIT || (sum === LIMIT && text.startsWith('-'));
}

const FORM = /^(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/;
const PART = /(\d*)(\.\d*)?(ns|us|µs|μs|ms|s|m|h)/g;
const LIMIT = 2n ** 63n;
/** What is longer is too long a time, but for zeros at its head. */
const MOST_CHARS = 1000;

const UNITS: ReadonlyMap<string, number> = new Map([
  ['ns', 1],
  ['us', 1e3],
  ['µs', 1e3],
  ['μs', 1e3],
  ['ms', 1e6],
  ['s', 1e9],
  ['m', 60e9],
  ['h', 3600e9],
]);

function nanoseconds([, whole = '', fraction = '', name = '']: RegExpMatchArray): bigint {
  const unit = UNITS.get(name) ?? 1;
  return BigInt(whole) * BigInt(unit) + BigInt(Math.trunc(Number(`0${fraction}`) * unit));
}
