const BASE_MS = 5000;
const MAX_MS = 32_000;
const GROWING_ATTEMPTS = 5;

const FIRST_SOON_MS = 500;
const MAX_SOON_MS = 2000;

/**
 * The delay after a number of failures of a task, in milliseconds: 5 s after the first. After the second to the sixth,
 * 5 s plus 1 s, doubling with each failure, plus a random part of a second, in tenths of a second. Then 32 s.
 */
export function retryDelayMs(failures: number, random: () => number): number {
  if (failures <= 1) return BASE_MS;
  if (failures > GROWING_ATTEMPTS + 1) return MAX_MS;
  const growingMs = 1000 * (2 ** (failures - 2) + random());
  return Math.min(MAX_MS, Math.floor((BASE_MS + growingMs) / 100) * 100);
}

/**
 * The delay after a failure of the environment, in milliseconds: short, so that the hook runs within 3 s of recovery.
 */
export function soonDelayMs(failures: number): number {
  return Math.min(FIRST_SOON_MS * 2 ** (failures - 1), MAX_SOON_MS);
}
