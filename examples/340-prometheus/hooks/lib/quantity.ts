const UNITS: Readonly<Record<string, number>> = {
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

/** The bytes of a Kubernetes quantity such as `10Gi`; undefined for what is none, or not above 0. */
export function bytesOf(quantity: string): number | undefined {
  const found = /^\+?(\d+(?:\.\d*)?|\.\d+)([kMGTP]|[KMGTP]i)?$/.exec(quantity);
  const bytes = Number(found?.[1]) * (UNITS[found?.[2] ?? ''] ?? Number.NaN);
  return bytes > 0 && Number.isFinite(bytes) ? bytes : undefined;
}
