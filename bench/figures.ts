/** The value below which `share` of the values lie. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** The value in the middle. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Waits until `check` returns a value, and returns that. */
export async function until<T>(
  check: () => T | undefined | Promise<T | undefined>,
  { timeoutMs = 20_000, everyMs = 1, what = 'nothing came in time' } = {},
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const value = await check();
    if (value !== undefined) return value;
    if (Date.now() > deadline) throw new Error(what);
    await sleep(everyMs);
  }
}

export async function sleep(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

/** Milliseconds since 1970, with fractions: comparable with `$EPOCHREALTIME` of bash. */
export function nowMs(): number {
  return performance.timeOrigin + performance.now();
}
