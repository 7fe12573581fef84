const FACTORS: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
};

/** The bytes of a size such as `10Gi`, with one of the suffixes above; undefined for any other text. */
export function bytesOf(size: string): number | undefined {
  const [, number = '', suffix = ''] = /^([+-]?\d{1,12}(?:\.\d{1,6})?)([kMGTP]|[KMGTP]i)?$/.exec(size) ?? [];
  return number === '' ? undefined : Number(number) * (FACTORS[suffix] ?? Number.NaN);
}
