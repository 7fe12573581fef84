import { shortHash } from '../../lib/short-hash.ts';

/** The part of the period by which the resyncs of objects that ran at the same time differ. */
const SPREAD = 0.1;
const MIN_TICK_MS = 50;
const MAX_TICK_MS = 5000;
const TICKS = 100;

/**
 * When an object that ran at `ranAtMs` is looked at again without a reason: at the latest after `periodMs`. The runs of
 * the start are all at once, so the resyncs after them are spread over the whole period.
 */
export function resyncDueMs(key: string, ranAtMs: number, { periodMs, isStart }: ResyncRule): number {
  const part = Number.parseInt(shortHash(key), 16) / 2 ** 32;
  return ranAtMs + periodMs * (isStart ? 1 - part : 1 - part * SPREAD);
}

export interface ResyncRule {
  readonly periodMs: number;
  /** Whether all objects ran at about the same time. */
  readonly isStart: boolean;
}

/** How often it is looked which objects are due. */
export function resyncTickMs(periodMs: number): number {
  return Math.min(MAX_TICK_MS, Math.max(MIN_TICK_MS, periodMs / TICKS));
}
