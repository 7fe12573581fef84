const FORM = /^\+?(\d+(?:\.\d*)?|\.\d+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?\d{1,3}|)$/;
const MAX_LENGTH = 64;
const PARTS: Readonly<Record<string, number>> = { n: 1e9, u: 1e6, m: 1e3 };
const MULTIPLES: Readonly<Record<string, number>> = { '': 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18 };
const BINARY = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

/** The value of a quantity of Kubernetes such as `500m`, `4Gi` or 2; undefined where it is none, or below 0. */
export function quantityOf(value: unknown): number | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const text = String(value);
  const [, digits, suffix = ''] = text.length > MAX_LENGTH ? [] : (FORM.exec(text) ?? []);
  if (digits === undefined) return undefined;
  const number = Number(digits);
  // Divided, so that 300m is the same as 0.3.
  const parts = PARTS[suffix];
  if (parts !== undefined) return number / parts;
  const multiple = MULTIPLES[suffix];
  if (multiple !== undefined) return number * multiple;
  const binary = BINARY.indexOf(suffix);
  return binary === -1 ? Number(`${number}${suffix}`) : number * 1024 ** (binary + 1);
}
