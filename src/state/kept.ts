/*
 * Records that survive the process, so that the next process knows what happened before it. The operator calls `run`
 * once and keeps it running as long as records are to be persisted. All other callers use the methods of `Records`, at
 * any time.
 *
 * Only `run` talks to the store, one turn at a time. A turn reads the store if its content is not known, applies all
 * pending changes to the stored records, and writes the changed records in one request. The states:
 *
 * - idle: no record has been requested yet. The store is not used.
 * - reading: the stored records are unknown or out of date: at the beginning, after a conflict, after `refresh`.
 *   Changes wait.
 * - open: `stored` is what the store holds, unless another process has written since; then the next write is a conflict.
 * - unreachable: the last turn failed, and it is unknown whether its write took effect. Changes wait. The next turn
 *   follows after a growing delay.
 * - refused: the store rejects reads or writes until somebody changes its setup. Changes are applied in memory, at once.
 * - overwriting: 30 s after a refusal, one turn writes all records over what is stored, and leads to open, or back to
 *   refused. Changes wait for that turn.
 *
 * What must hold in every state: a write includes everything that other processes have written, except in overwriting.
 * `update` settles once its change is written, or applied in memory when the store refuses. `get` returns the record as
 * last read or written, with the pending notes applied. Only a turn changes the state, with two exceptions: the first
 * request for a record ends idle, and `refresh` turns open into reading.
 *
 * Shutting down is not a state: after the signal of `run` aborts, turns continue until no change is pending, for at most
 * 5 s.
 */

import { aborted } from '../lib/aborted.ts';
import { exponentialBackoff } from '../lib/backoff.ts';
import { Bell } from '../lib/bell.ts';
import { latch } from '../lib/latch.ts';
import { sleep } from '../lib/sleep.ts';
import type { Logger } from '../log.ts';
import { keptLog, type KeptLog, type KeptWords } from './kept-log.ts';
import { nextState, problemOf, type KeptState, type Outcome } from './kept-state.ts';
import { LocalRecords } from './local-records.ts';
import { applyChanges, pendingUpdate } from './pending.ts';
import { readRecords, writeRecords, type Codec, type TextPlace } from './record-texts.ts';
import type { Change, Records } from './records.ts';
import type { Store } from './store.ts';

export interface KeptOptions<T> {
  readonly store: Store;
  readonly codec: Codec<T>;
  readonly words: KeptWords;
  readonly log: Logger;
}

const RETRY = { initialMs: 1000, maxMs: 30_000 } as const;
const OVERWRITE_AFTER_MS = 30_000;
const FLUSH_MS = 5000;

/** Records in a store, or in memory while the store refuses. */
export class Kept<T> implements Records<T> {
  readonly #place: TextPlace<T>;
  readonly #log: KeptLog;
  readonly #backoff = exponentialBackoff(RETRY);
  readonly #bell = new Bell();
  readonly #local = new LocalRecords<T>();
  /** Resolves at the first read, or at the first refusal. */
  readonly #opened = latch();
  #state: KeptState<T> = { type: 'idle' };

  constructor({ store, codec, words, log }: KeptOptions<T>) {
    this.#log = keptLog(log, store.place, words);
    this.#place = { store, codec, onUnreadable: this.#log.unreadable };
  }

  get isKept(): boolean {
    return !('refusal' in this.#state);
  }

  /** Why records are not persisted at the moment; undefined when they are. */
  get problem(): string | undefined {
    return problemOf(this.#state, this.#place.store.place);
  }

  async ready(signal: AbortSignal): Promise<void> {
    this.#requestTurn();
    await Promise.race([this.#opened.promise, aborted(signal)]);
  }

  async refresh(signal: AbortSignal): Promise<void> {
    const { type } = this.#state;
    // A new state object: a turn that is already running must not count as the requested read.
    if (type === 'open' || type === 'reading') this.#state = { type: 'reading' };
    // A change that changes nothing still waits for that read.
    await this.update('', (record) => ({ record, result: undefined }), signal);
  }

  get(key: string): T | undefined {
    return this.#local.get(key);
  }

  async update<R>(key: string, change: Change<T, R>, signal: AbortSignal): Promise<R | undefined> {
    if (signal.aborted) return undefined;
    const { pending, settled, giveUp } = pendingUpdate(key, change);
    const abort = (): void => {
      this.#local.drop(pending);
      giveUp();
    };
    signal.addEventListener('abort', abort, { once: true });
    this.#local.add(pending);
    this.#requestTurn();
    try {
      return await settled;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  note(key: string, change: (known: T) => T): void {
    if (this.#local.note(key, change)) this.#requestTurn();
  }

  /** Reads and writes until `signal` aborts, then writes pending changes for at most 5 s. */
  async run(signal: AbortSignal): Promise<void> {
    const end = new AbortController();
    const limit = abortLater(end, signal);
    const isOver = (): boolean => end.signal.aborted || (signal.aborted && this.#local.isWritten);
    signal.addEventListener('abort', this.#bell.ring, { once: true });
    try {
      while (!isOver()) {
        await this.#pause(signal, end.signal);
        if (!isOver()) await this.#turn(end.signal);
      }
    } finally {
      end.abort();
      await limit;
      signal.removeEventListener('abort', this.#bell.ring);
      if (!this.#local.isWritten) this.#log.ended(this.#state);
    }
  }

  #requestTurn(): void {
    if (this.#state.type === 'refused') this.#local.settleUnwritten();
    if (this.#state.type === 'idle') this.#state = { type: 'reading' };
    this.#bell.ring();
  }

  /** Waits until the next turn is due. */
  async #pause(signal: AbortSignal, end: AbortSignal): Promise<void> {
    const { type } = this.#state;
    if (type === 'idle' || (type === 'open' && this.#local.isWritten)) await this.#bell.rung();
    // The shutdown ends this wait for one immediate attempt; after that the delay applies again.
    if (type === 'unreachable') await sleep(this.#backoff.next(), signal.aborted ? end : signal);
    if (type === 'refused') await sleep(OVERWRITE_AFTER_MS, signal);
  }

  async #turn(end: AbortSignal): Promise<void> {
    if (this.#state.type === 'refused') this.#state = { ...this.#state, type: 'overwriting' };
    const before = this.#state;
    try {
      const outcome = await this.#exchange(before, end);
      this.#backoff.reset();
      this.#move(before, nextState(before, outcome));
    } catch (error) {
      if (!end.aborted) this.#move(before, nextState(before, { type: 'failed', error }));
    }
  }

  #move(before: KeptState<T>, next: KeptState<T>): void {
    this.#log.moved(before, next);
    // `refresh` may have requested another read during the turn.
    const isOutOfDate = next.type === 'open' && this.#state !== before;
    if (!isOutOfDate) this.#state = next;
    if (next.type !== 'refused') return;
    this.#local.settleUnwritten();
    this.#opened.resolve();
  }

  async #exchange(before: KeptState<T>, end: AbortSignal): Promise<Outcome<T>> {
    const read = before.type === 'open' ? before : await this.#read(before, end);
    if (read.type !== 'open') return read;
    const batch = before.type === 'overwriting' ? this.#local.overwrites() : this.#local.changes();
    const { records, changed } = applyChanges(read.stored, batch);
    const written = await writeRecords(this.#place, changed, end);
    if (written.type !== 'written') return written;
    this.#local.settle(batch, records);
    return { type: 'open', stored: records };
  }

  async #read(before: KeptState<T>, end: AbortSignal): Promise<Outcome<T>> {
    const read = await readRecords(this.#place, end);
    if (read.type !== 'read') return read;
    if (before.type === 'overwriting') this.#local.settleUnwritten();
    else this.#local.show(read.records);
    this.#opened.resolve();
    return { type: 'open', stored: read.records };
  }
}

async function abortLater(end: AbortController, signal: AbortSignal): Promise<void> {
  await Promise.race([aborted(signal), aborted(end.signal)]);
  await sleep(FLUSH_MS, end.signal);
  end.abort();
}
