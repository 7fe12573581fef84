import { exponentialBackoff } from '../lib/backoff.ts';
import { Bell } from '../lib/bell.ts';
import { within } from '../lib/deadline.ts';
import { sleep } from '../lib/sleep.ts';
import type { Logger } from '../log.ts';
import type { HistoryFolder } from './history-folder.ts';
import { jsonOf, type KeptRecord } from './kept-records.ts';

export interface HistoryWriterOptions {
  readonly folder: Pick<HistoryFolder, 'path' | 'append'>;
  /** Called with the number of records that are dropped. */
  readonly onDropped: (records: number) => void;
  readonly log: Logger;
  readonly limits?: Partial<typeof LIMITS>;
}

const LIMITS = {
  /** What waits to be written. */
  waitingBytes: 4 * 1024 * 1024,
  batchBytes: 1024 * 1024,
  /** Records that come within this time are written together. */
  batchMs: 200,
  /** The time for what is left when the operator ends. */
  endMs: 5000,
};

/**
 * Writes records to a folder, beside the runs: `push` never waits. What waits to be written is bounded; beyond it the
 * oldest are dropped and counted. A folder that fails is tried again, from 1 s to 30 s apart, and logged once when it
 * fails and once when it works again.
 */
export class HistoryWriter {
  readonly #options: HistoryWriterOptions;
  readonly #limits: typeof LIMITS;
  readonly #waiting: KeptRecord[] = [];
  readonly #bell = new Bell();
  readonly #backoff = exponentialBackoff({ initialMs: 1000, maxMs: 30_000 });
  #waitingBytes = 0;
  #isFailing = false;
  /** The records that were dropped since the last that was written. */
  #dropped = 0;

  constructor(options: HistoryWriterOptions) {
    this.#options = options;
    this.#limits = { ...LIMITS, ...options.limits };
  }

  push(record: KeptRecord): void {
    this.#waiting.push(record);
    this.#waitingBytes += sizeOf(record);
    while (this.#waitingBytes > this.#limits.waitingBytes) this.#drop();
    this.#bell.ring();
  }

  /** Writes until `signal` aborts, then what is left, for 5 s at most. */
  async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', this.#bell.ring, { once: true });
    while (!signal.aborted) {
      if (this.#waiting.length === 0) await this.#bell.rung();
      await sleep(this.#limits.batchMs, signal);
      if (!signal.aborted && !(await this.#write())) await sleep(this.#backoff.next(), signal);
    }
    await this.#finish();
  }

  async #finish(): Promise<void> {
    const endAtMs = Date.now() + this.#limits.endMs;
    const late = (): boolean => false;
    while (this.#waiting.length > 0) {
      if (!(await within(this.#write(), { limitMs: endAtMs - Date.now(), late }))) break;
    }
    if (this.#waiting.length === 0) return;
    const { folder, log } = this.#options;
    log.error({ folder: folder.path, records: this.#waiting.length }, 'the last records of runs were not written');
  }

  /** Writes one batch; returns whether that succeeded. */
  async #write(): Promise<boolean> {
    const { folder, log } = this.#options;
    const batch = this.#batch();
    if (batch.length === 0) return true;
    try {
      await folder.append(batch.map((record) => `${jsonOf(record)}\n`).join(''));
    } catch (error) {
      if (!this.#isFailing) {
        log.error({ folder: folder.path, err: error }, 'records of runs cannot be written, they are tried again');
      }
      this.#isFailing = true;
      return false;
    }
    this.#backoff.reset();
    this.#take(batch);
    this.#report();
    return true;
  }

  /** Those of the batch that were not dropped meanwhile no longer wait. */
  #take(batch: readonly KeptRecord[]): void {
    const written = new Set(batch);
    while (this.#waiting[0] !== undefined && written.has(this.#waiting[0])) this.#shift();
  }

  #report(): void {
    const { folder, log } = this.#options;
    if (this.#dropped > 0) {
      const fields = { folder: folder.path, records: this.#dropped };
      log.warn(fields, 'records of runs were dropped, because they could not be written in time');
    } else if (this.#isFailing) {
      log.info({ folder: folder.path }, 'records of runs are written again');
    }
    this.#isFailing = false;
    this.#dropped = 0;
  }

  #batch(): readonly KeptRecord[] {
    let bytes = 0;
    const end = this.#waiting.findIndex((record) => (bytes += sizeOf(record)) > this.#limits.batchBytes);
    return this.#waiting.slice(0, end === -1 ? undefined : Math.max(1, end));
  }

  #drop(): void {
    this.#shift();
    this.#dropped += 1;
    this.#options.onDropped(1);
  }

  #shift(): void {
    const record = this.#waiting.shift();
    if (record !== undefined) this.#waitingBytes -= sizeOf(record);
  }
}

function sizeOf({ head, log }: KeptRecord): number {
  return head.length + log.length;
}
