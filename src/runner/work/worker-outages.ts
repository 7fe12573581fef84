import type { DueTimer } from './due-timer.ts';
import type { WorkerOutage } from './work-options.ts';

/** So long runs wait without a worker before that is told. */
const OUTAGE_MS = 60_000;

export interface OutageParts {
  readonly due: DueTimer;
  /** Milliseconds on a monotonic clock. */
  readonly elapsed: () => number;
  /** What is missing in a pool now; undefined where no run waits, or there is a worker for it. */
  readonly find: (pool: string) => WorkerOutage | undefined;
  readonly hasWorker: (pool: string) => boolean;
  readonly onNoWorkers: (outage: WorkerOutage) => void;
}

/** Tells once of each pool that has runs and no worker for 60 s. */
export class WorkerOutages {
  readonly #parts: OutageParts;
  /** The pools of which it was told, and where no worker came since. */
  readonly #told = new Set<string>();

  constructor(parts: OutageParts) {
    this.#parts = parts;
  }

  /** Something has changed in a pool. */
  look(pool: string): void {
    const { due, elapsed, find, hasWorker } = this.#parts;
    const key = `outage ${pool}`;
    if (this.#told.has(pool) && hasWorker(pool)) this.#told.delete(pool);
    if (this.#told.has(pool)) return;
    if (find(pool) === undefined) due.delete(key);
    else if (!due.has(key)) due.set(key, elapsed() + OUTAGE_MS, () => this.#tell(pool));
  }

  /** Tells of no pool that it does not see again. */
  clear(): void {
    this.#told.clear();
  }

  #tell(pool: string): void {
    const outage = this.#parts.find(pool);
    if (outage === undefined) return;
    this.#told.add(pool);
    this.#parts.onNoWorkers(outage);
  }
}
