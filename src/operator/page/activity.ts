import { sleep } from '../../lib/sleep.ts';
import type { RunEvent, RunJournal } from '../../run/journal.ts';
import type { Minute } from '../../server/page/model.ts';

const MINUTE_MS = 60_000;
/** Six hours. */
const MAX_MINUTES = 360;

/**
 * What happened in the last hours, a minute a point, for the curves of the page; and a number that grows whenever
 * something happens, so that pages know when to look. It is a subscriber of the journal; `run` makes the points.
 */
export class Activity implements RunJournal {
  /** Grows with each event. */
  version = 0;
  readonly #now: () => number;
  readonly #wait: typeof sleep;
  readonly #minutes: Minute[] = [];
  #runs = 0;
  #failures = 0;
  #waitMs = 0;

  constructor(now: () => number, wait: typeof sleep = sleep) {
    this.#now = now;
    this.#wait = wait;
  }

  /** The points so far, the oldest first. */
  get minutes(): readonly Minute[] {
    return this.#minutes;
  }

  record(event: RunEvent): void {
    this.version += 1;
    if (event.type === 'started') {
      this.#runs += 1;
      this.#waitMs = Math.max(this.#waitMs, event.waitedMs);
    } else if (event.type === 'ended' && event.outcome.type === 'failed') this.#failures += 1;
  }

  /** Something happened that is no run. */
  readonly changed = (): void => {
    this.version += 1;
  };

  /** Makes a point each minute until `signal` aborts; `queued` is how many tasks are in all queues now. */
  async run(queued: () => number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#wait(MINUTE_MS - (this.#now() % MINUTE_MS), signal);
      if (!signal.aborted) this.#close(queued());
    }
  }

  #close(queued: number): void {
    const counts = { runs: this.#runs, failures: this.#failures, waitMs: Math.round(this.#waitMs) };
    this.#minutes.push({ atMs: this.#now(), ...counts, queued });
    if (this.#minutes.length > MAX_MINUTES) this.#minutes.shift();
    [this.#runs, this.#failures, this.#waitMs] = [0, 0, 0];
    this.version += 1;
  }
}
