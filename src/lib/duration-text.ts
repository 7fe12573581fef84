const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
] as const;
/** Shorter spans are written in hours: most readers think of a day as 24 hours. */
const DAYS_FROM_MS = 2 * 86_400_000;

/** Formats a time span in its two largest units, such as `45s`, `1h30m`, `24h` or `30d23h`. */
export function durationText(durationMs: number): string {
  const parts: string[] = [];
  let restMs = Math.round(durationMs / 1000) * 1000;
  if (restMs <= 0) return '0s';
  for (const [unit, unitMs] of UNITS) {
    if (unit === 'd' && restMs < DAYS_FROM_MS) continue;
    const amount = Math.floor(restMs / unitMs);
    if (amount > 0) parts.push(`${amount}${unit}`);
    // Only the unit that follows the first one may be added.
    else if (parts.length > 0) break;
    restMs -= amount * unitMs;
    if (parts.length === 2) break;
  }
  return parts.join('');
}
