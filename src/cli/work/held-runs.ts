import { Changes } from '../../lib/changes.ts';
import type { HeldRun, RunToEnd } from '../../hook/work-desk.ts';
import type { LiveRun } from './live-run.ts';

/** The runs that a worker has: those that are named in its beats. */
export class HeldRuns {
  readonly capacity: number;
  readonly #runs = new Set<LiveRun>();
  readonly #changes = new Changes();

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  get size(): number {
    return this.#runs.size;
  }

  get free(): number {
    return Math.max(0, this.capacity - this.#runs.size);
  }

  list(): readonly HeldRun[] {
    return [...this.#runs].map(({ held }) => held);
  }

  add(run: LiveRun): void {
    this.#runs.add(run);
    this.#changes.notify();
  }

  delete(run: LiveRun): void {
    this.#runs.delete(run);
    this.#changes.notify();
  }

  /** The runs with this id and another epoch. */
  others({ runId, epoch }: HeldRun): readonly LiveRun[] {
    return [...this.#runs].filter(({ held }) => held.runId === runId && held.epoch !== epoch);
  }

  end(ends: readonly RunToEnd[]): void {
    for (const { runId, epoch, why, isOver } of ends) {
      for (const run of this.#runs) {
        if (run.held.runId === runId && run.held.epoch === epoch) run.end(why, isOver);
      }
    }
  }

  /** Ends all runs whose results do not count any more; with `withResults` false, not those that have a result. */
  endAll(why: string, withResults = true): number {
    const ended = [...this.#runs].filter(({ phase }) => withResults || phase !== 'hands in');
    for (const run of ended) run.end(why, true);
    return ended.length;
  }

  /** Resolves once `isReached` is true, or `signal` aborts. */
  async until(isReached: (runs: HeldRuns) => boolean, signal: AbortSignal): Promise<void> {
    if (isReached(this)) return;
    const over = new AbortController();
    try {
      for await (const _ of this.#changes.follow(AbortSignal.any([signal, over.signal]))) {
        if (isReached(this)) return;
      }
    } finally {
      over.abort();
    }
  }
}
