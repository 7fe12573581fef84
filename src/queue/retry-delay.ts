import type { Backoff } from '../lib/backoff.ts';

const BASE_MS = 5000;
const MAX_MS = 32_000;
const GROWING_ATTEMPTS = 5;

/** Delays between attempts at a failing task: 5 s, then 5 s and a growing share up to 32 s, in tenths of a second. */
export function retryDelay(random: () => number = Math.random): Backoff {
  let attempt = 0;
  return {
    next() {
      const delayMs = delayOf(attempt, random);
      attempt += 1;
      return delayMs;
    },
    reset() {
      attempt = 0;
    },
  };
}

function delayOf(attempt: number, random: () => number): number {
  if (attempt === 0) return BASE_MS;
  if (attempt > GROWING_ATTEMPTS) return MAX_MS;
  const growingMs = 1000 * (2 ** (attempt - 1) + random());
  return Math.min(MAX_MS, Math.floor((BASE_MS + growingMs) / 100) * 100);
}
