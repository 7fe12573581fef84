import { isMoved, type ReconcileTrigger } from '../../hook/trigger.ts';
import type { Placed } from '../../kube/watch/object-index.ts';
import { Bell } from '../../lib/bell.ts';
import { sleep } from '../../lib/sleep.ts';
import { placeKey } from '../kubernetes/late-views.ts';

export interface HeldObjectsOptions {
  /** Whether what is known of the cluster is not the whole, so that no object may be looked at. */
  readonly isIncomplete: () => boolean;
  readonly emit: (trigger: ReconcileTrigger) => void;
  readonly now: () => number;
}

/** Between two looks at what may be released. */
const POLL_MS = 1000;

/**
 * The triggers of a reconcile binding that wait: all while a kind is missing, and those of an object that rests because
 * its children are written again and again. One trigger of each object waits; it is emitted again within a second of
 * the end of its wait.
 */
export class HeldObjects {
  readonly #options: HeldObjectsOptions;
  readonly #held = new Map<string, ReconcileTrigger>();
  /** By key, until when an object rests, in milliseconds since the epoch. */
  readonly #rests = new Map<string, number>();
  readonly #bell = new Bell();

  constructor(options: HeldObjectsOptions) {
    this.#options = options;
  }

  /** Has an object wait for `delayMs`. */
  rest(place: Placed, delayMs: number): void {
    this.#rests.set(placeKey(place), this.#options.now() + delayMs);
    this.#bell.ring();
  }

  /** Takes a trigger that has to wait; returns whether it did. */
  hold(trigger: ReconcileTrigger): boolean {
    const key = placeKey(trigger);
    if (!this.#options.isIncomplete() && !this.#isResting(key)) return false;
    this.#held.set(key, trigger);
    this.#bell.ring();
    return true;
  }

  /** Forgets what waits of slices that were given. */
  dropMoved(): void {
    for (const [key, trigger] of this.#held) if (isMoved(trigger)) this.#held.delete(key);
  }

  /** Releases what has waited long enough, until `signal` aborts; without a timer while nothing waits. */
  async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', this.#bell.ring, { once: true });
    while (!signal.aborted) {
      if (this.#held.size === 0 && this.#rests.size === 0) {
        await this.#bell.rung();
        continue;
      }
      await sleep(POLL_MS, signal);
      if (!signal.aborted) this.#release();
    }
  }

  #release(): void {
    for (const key of this.#rests.keys()) if (!this.#isResting(key)) this.#rests.delete(key);
    if (this.#held.size === 0 || this.#options.isIncomplete()) return;
    for (const [key, trigger] of this.#held) {
      if (this.#rests.has(key)) continue;
      this.#held.delete(key);
      this.#options.emit(trigger);
    }
  }

  #isResting(key: string): boolean {
    const untilMs = this.#rests.get(key);
    return untilMs !== undefined && untilMs > this.#options.now();
  }
}
