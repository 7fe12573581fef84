import type { ReconcileBinding } from '../../hook/binding.ts';
import type { ReconcileReason } from '../../hook/trigger.ts';
import { shortHash } from '../../lib/short-hash.ts';
import { sleep } from '../../lib/sleep.ts';
import type { Parent } from './parents.ts';

/** The part of the period by which the resyncs of objects that ran at the same time differ. */
const SPREAD = 0.1;
const MIN_TICK_MS = 50;
const MAX_TICK_MS = 5000;
const TICKS = 100;

export interface ResyncedParents {
  /** Those that may be looked at now. */
  readonly parents: () => Iterable<Parent>;
  readonly lookAt: (parent: Parent) => void;
}

/** The looks at parents without a reason; without a `resyncPeriod` there are none. */
export class Resyncs {
  readonly #periodMs: number | undefined;
  readonly #now: () => number;

  constructor({ resyncPeriodMs }: Pick<ReconcileBinding, 'resyncPeriodMs'>, now: () => number) {
    this.#periodMs = resyncPeriodMs;
    this.#now = now;
  }

  /**
   * When the next resync of a parent is due that runs now: after at most one period. The runs of the start are all at
   * once, so the resyncs after them are spread over the whole period.
   */
  dueMs(key: string, reason: ReconcileReason): number {
    if (this.#periodMs === undefined) return Infinity;
    const part = Number.parseInt(shortHash(key), 16) / 2 ** 32;
    const isStart = reason === 'start' || reason === 'hook-changed';
    return this.#now() + this.#periodMs * (isStart ? 1 - part : 1 - part * SPREAD);
  }

  /** Looks at each parent when it is due, until `signal` aborts. */
  async run({ parents, lookAt }: ResyncedParents, signal: AbortSignal): Promise<void> {
    const periodMs = this.#periodMs;
    if (periodMs === undefined) return;
    const tickMs = Math.min(MAX_TICK_MS, Math.max(MIN_TICK_MS, periodMs / TICKS));
    while (!signal.aborted) {
      await sleep(tickMs, signal);
      const nowMs = this.#now();
      for (const parent of signal.aborted ? [] : parents()) {
        if (parent.dueMs > nowMs) continue;
        parent.dueMs = nowMs + periodMs;
        lookAt(parent);
      }
    }
  }
}
