/*
 * Records that outlive the process, so that the next one knows what happened before it. The owner calls `run` once,
 * for as long as records are to be persisted. Everybody else calls the methods of `Records`, at any time.
 *
 * Only `run` talks to the store, in one turn after the other. A turn reads the store where that is needed, makes all
 * pending changes on top of what is stored, and writes what they change, together. The states:
 *
 * - unasked: nobody asked for a record yet. The store is left alone.
 * - reading: what is stored is unknown or out of date: at first, after a conflict, after `refresh`. Changes wait.
 * - open: `stored` is what is stored, unless somebody else wrote since. Then a write ends in a conflict.
 * - unreachable: the last turn failed; whether its write was made is unknown. Changes wait. The next turn comes after a
 *   growing delay.
 * - refused: the store does not work until somebody changes something. Changes are made in memory, at once.
 * - offering: half a minute later, a turn writes all records over what is stored, after which it is open, or refused
 *   again. Changes wait for that turn.
 *
 * What must hold in all of them: a write is made on top of all that others wrote, but for that of an offer. `update`
 * settles once its change is written, or made in memory where the store refuses. `get` shows what was read or written
 * last, with the pending notes on top of it. Only a turn changes the state, but for the first question, which ends
 * unasked, and `refresh`, which turns open into reading.
 *
 * Ending is not a state of its own: when the signal of `run` aborts, turns go on in any of them until nothing is
 * pending, for 5 seconds at most.
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
const OFFER_MS = 30_000;
const FLUSH_MS = 5000;

/** Records in a store; while the store refuses them, in memory. */
export class Kept<T> implements Records<T> {
  readonly #place: TextPlace<T>;
  readonly #tell: KeptLog;
  readonly #backoff = exponentialBackoff(RETRY);
  readonly #bell = new Bell();
  readonly #local = new LocalRecords<T>();
  /** Resolves at the first read or refusal. */
  readonly #opened = latch();
  #state: KeptState<T> = { type: 'unasked' };

  constructor({ store, codec, words, log }: KeptOptions<T>) {
    this.#tell = keptLog(log, store.place, words);
    this.#place = { store, codec, onUnreadable: this.#tell.unreadable };
  }

  get isKept(): boolean {
    return !('refusal' in this.#state);
  }

  /** Why records are not persisted as they should be now; undefined when all is well. */
  get problem(): string | undefined {
    return problemOf(this.#state, this.#place.store.place);
  }

  async ready(signal: AbortSignal): Promise<void> {
    this.#ask();
    await Promise.race([this.#opened.promise, aborted(signal)]);
  }

  async refresh(signal: AbortSignal): Promise<void> {
    const { type } = this.#state;
    // A state of its own, so that a turn that goes on does not pass for the read that is asked for.
    if (type === 'open' || type === 'reading') this.#state = { type: 'reading' };
    // Even a change of nothing waits for the read that it is made on top of.
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
    this.#ask();
    try {
      return await settled;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  note(key: string, change: (known: T) => T): void {
    if (this.#local.note(key, change)) this.#ask();
  }

  /** Reads and writes until `signal` aborts, and for a few seconds more what is not written then. */
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
      if (!this.#local.isWritten) this.#tell.ended(this.#state);
    }
  }

  #ask(): void {
    if (this.#state.type === 'refused') this.#local.settleUnwritten();
    if (this.#state.type === 'unasked') this.#state = { type: 'reading' };
    this.#bell.ring();
  }

  /** Waits until it is time for a turn. */
  async #pause(signal: AbortSignal, end: AbortSignal): Promise<void> {
    const { type } = this.#state;
    if (type === 'unasked' || (type === 'open' && this.#local.isWritten)) await this.#bell.rung();
    // The end is no reason to hammer a server, but to try once more.
    if (type === 'unreachable') await sleep(this.#backoff.next(), signal.aborted ? end : signal);
    if (type === 'refused') await sleep(OFFER_MS, signal);
  }

  async #turn(end: AbortSignal): Promise<void> {
    if (this.#state.type === 'refused') this.#state = { ...this.#state, type: 'offering' };
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
    this.#tell.moved(before, next);
    // Meanwhile a refresh may have asked for another read.
    const isOutOfDate = next.type === 'open' && this.#state !== before;
    if (!isOutOfDate) this.#state = next;
    if (next.type !== 'refused') return;
    this.#local.settleUnwritten();
    this.#opened.resolve();
  }

  async #exchange(before: KeptState<T>, end: AbortSignal): Promise<Outcome<T>> {
    const read = before.type === 'open' ? before : await this.#read(before, end);
    if (read.type !== 'open') return read;
    const batch = before.type === 'offering' ? this.#local.overwrites() : this.#local.changes();
    const { records, changed } = applyChanges(read.stored, batch);
    const written = await writeRecords(this.#place, changed, end);
    if (written.type !== 'written') return written;
    this.#local.settle(batch, records);
    return { type: 'open', stored: records };
  }

  async #read(before: KeptState<T>, end: AbortSignal): Promise<Outcome<T>> {
    const read = await readRecords(this.#place, end);
    if (read.type !== 'read') return read;
    if (before.type === 'offering') this.#local.settleUnwritten();
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
