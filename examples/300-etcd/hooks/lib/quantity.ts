const FACTORS: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

/** The bytes of a quantity such as `8Gi`; undefined where it is none, or not more than nothing. */
export function bytesOf(quantity: string): number | undefined {
  const [, number = '', unit = ''] = /^(\d{1,15}(?:\.\d{1,3})?)([kMGT]|[KMGT]i)?$/.exec(quantity) ?? [];
  const bytes = Number(number) * (FACTORS[unit] ?? Number.NaN);
  return number !== '' && bytes > 0 ? bytes : undefined;
}

const SECONDS: Readonly<Record<string, number>> = { d: 86_400, h: 3600, m: 60, s: 1 };

/** The milliseconds of a duration such as `1h30m`; undefined where it is none, or not more than nothing. */
export function millisecondsOf(duration: string): number | undefined {
  return duration.includes('d') ? undefined : lifetimeOf(duration);
}

/** The same, with days, such as `365d`, which etcd itself does not know. */
export function lifetimeOf(duration: string): number | undefined {
  if (!/^(\d{1,6}[dhms])+$/.test(duration)) return undefined;
  const parts = [...duration.matchAll(/(\d+)([dhms])/g)];
  const seconds = parts.reduce((sum, [, count = '', unit = '']) => sum + Number(count) * (SECONDS[unit] ?? 0), 0);
  return seconds > 0 ? seconds * 1000 : undefined;
}
