const UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};
const DURATION = /^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/;
const PART = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g;

const MAX_LENGTH = 100;
/** Ten years. Without a limit, adding a duration to the present time could exceed the range of a date. */
const MAX_DURATION_MS = 87_600 * 3_600_000;

/**
 * Parses a Go duration of at most `87600h`, such as `1h30m`, `1.5s` or `0`, to milliseconds; returns `undefined` for
 * any other text.
 */
export function parseDuration(text: string): number | undefined {
  if (/^[+-]?0$/.test(text)) return 0;
  // Limits the work of the expressions below; any duration is far shorter.
  if (text.length > MAX_LENGTH) return undefined;
  if (!DURATION.test(text)) return undefined;
  let totalMs = 0;
  for (const [, amount, unit] of text.matchAll(PART)) totalMs += Number(amount) * (UNIT_MS[unit ?? ''] ?? 0);
  if (totalMs > MAX_DURATION_MS) return undefined;
  return text.startsWith('-') ? -totalMs : totalMs;
}

/** Formats a time span as Go does: `1h30m`, `1m30s`, `1.5s`, `500ms`. */
export function goDuration(durationMs: number): string {
  if (durationMs < 1000) return `${Number(durationMs.toFixed(3))}ms`;
  const hours = Math.floor(durationMs / 3_600_000);
  const minutes = Math.floor((durationMs % 3_600_000) / 60_000);
  const seconds = Number(((durationMs % 60_000) / 1000).toFixed(3));
  return [hours > 0 && `${hours}h`, minutes > 0 && `${minutes}m`, seconds > 0 && `${seconds}s`]
    .filter(Boolean)
    .join('');
}
