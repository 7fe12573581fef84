import { aborted } from '../../lib/aborted.ts';
import { exponentialBackoff } from '../../lib/backoff.ts';
import { latch } from '../../lib/latch.ts';
import { sleep } from '../../lib/sleep.ts';
import type { Logger } from '../../log.ts';
import { formatRecord, parseRecord } from './record-json.ts';
import type { ScheduleRecord } from './record.ts';
import type { Change, ScheduleRecords } from './records.ts';
import type { Refused, ScheduleStore } from './store.ts';

interface Pending {
  readonly key: string;
  readonly change: Change<unknown>;
  readonly isNote: boolean;
  readonly settle: (result: unknown) => void;
}

const RETRY = { initialMs: 1000, maxMs: 30_000 } as const;
const REFUSED_RETRY_MS = 30_000;
const FLUSH_MS = 5000;
const MAX_SHOWN = 300;

/**
 * Records in a store, written one batch after the other, each only when nobody else wrote since. A store that cannot be
 * reached is tried until it can; one that refuses leaves the schedules to run without being kept.
 */
export class KeptRecords implements ScheduleRecords {
  readonly #store: ScheduleStore;
  readonly #log: Logger;
  #opened = latch();
  readonly #backoff = exponentialBackoff(RETRY);
  /** As the store has them. */
  #stored = new Map<string, ScheduleRecord>();
  /** With what is not written yet. */
  #local = new Map<string, ScheduleRecord>();
  #pending: Pending[] = [];
  #isRead = false;
  #isWanted = false;
  #refusal: Refused | undefined;
  #trouble: unknown;
  #isEnding = false;
  #wake: () => void = () => {};

  constructor(store: ScheduleStore, log: Logger) {
    this.#store = store;
    this.#log = log;
  }

  get isKept(): boolean {
    return this.#refusal === undefined;
  }

  /** Why schedules are not kept as they should be now; undefined when all is well. */
  get problem(): string | undefined {
    if (this.#refusal !== undefined) {
      return `${this.#store.place}: ${messageOf(this.#refusal.error)}; it takes ${this.#refusal.advice}`;
    }
    return this.#trouble === undefined ? undefined : `${this.#store.place}: ${messageOf(this.#trouble)}`;
  }

  async ready(signal: AbortSignal): Promise<void> {
    this.#isWanted = true;
    this.#wake();
    await Promise.race([this.#opened.promise, aborted(signal)]);
  }

  async refresh(signal: AbortSignal): Promise<void> {
    if (this.#isRead) {
      this.#isRead = false;
      this.#opened = latch();
    }
    await this.ready(signal);
  }

  get(key: string): ScheduleRecord | undefined {
    return this.#local.get(key);
  }

  async update<R>(key: string, change: Change<R>, signal: AbortSignal): Promise<R | undefined> {
    if (signal.aborted) return undefined;
    const { promise, resolve } = latch<R | undefined>();
    let result: R | undefined;
    const keeping: Change<unknown> = (known) => {
      const changed = change(known);
      result = changed.result;
      return changed;
    };
    const pending: Pending = { key, change: keeping, isNote: false, settle: () => resolve(result) };
    const abort = (): void => {
      this.#pending = this.#pending.filter((one) => one !== pending);
      resolve(undefined);
    };
    signal.addEventListener('abort', abort, { once: true });
    this.#add(pending);
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  note(key: string, change: (known: ScheduleRecord) => ScheduleRecord): void {
    const noted: Change<unknown> = (known) => ({ record: known && change(known), result: undefined });
    const known = this.#local.get(key);
    if (known === undefined) return;
    this.#local.set(key, change(known));
    this.#add({ key, change: noted, isNote: true, settle: () => {} });
  }

  /** Reads and writes until `signal` aborts, and for a few seconds more what is not written then. */
  async run(signal: AbortSignal): Promise<void> {
    const end = new AbortController();
    const limit = this.#endLater(signal, end);
    const stop = (): void => {
      this.#isEnding = true;
      this.#wake();
    };
    signal.addEventListener('abort', stop, { once: true });
    try {
      while (!end.signal.aborted && !(signal.aborted && this.#pending.length === 0)) {
        const isNeeded = this.#isWanted && (!this.#isRead || this.#pending.length > 0);
        if (isNeeded) await this.#work(signal, end.signal);
        else await this.#idle();
      }
    } finally {
      end.abort();
      await limit;
      signal.removeEventListener('abort', stop);
      if (this.#pending.length > 0) {
        this.#log.error(
          { place: this.#store.place, err: this.#trouble },
          'the last of the schedule state is not written',
        );
      }
    }
  }

  async #endLater(signal: AbortSignal, end: AbortController): Promise<void> {
    await Promise.race([aborted(signal), aborted(end.signal)]);
    await sleep(FLUSH_MS, end.signal);
    end.abort();
    this.#wake();
  }

  async #idle(): Promise<void> {
    const { promise, resolve } = latch();
    this.#wake = resolve;
    await promise;
    this.#wake = () => {};
  }

  #add(pending: Pending): void {
    this.#isWanted = true;
    this.#pending.push(pending);
    this.#wake();
  }

  async #work(signal: AbortSignal, end: AbortSignal): Promise<void> {
    try {
      await (this.#isRead ? this.#write(end) : this.#read(end));
      if (this.#trouble !== undefined) this.#log.info({ place: this.#store.place }, 'schedule state is reached again');
      this.#trouble = undefined;
      this.#backoff.reset();
    } catch (error) {
      if (end.aborted) return;
      if (this.#trouble === undefined) {
        this.#log.warn(
          { place: this.#store.place, err: error },
          'schedule state cannot be reached, schedules wait for it',
        );
      }
      this.#trouble = error;
      // Whether a write that failed was made is not known.
      this.#isRead = false;
      // The end is no reason to hammer a server, but to try once more.
      await sleep(this.#backoff.next(), signal.aborted ? end : signal);
    }
  }

  async #read(end: AbortSignal): Promise<void> {
    const read = await this.#store.read(end);
    if (read.type === 'refused') {
      await this.#refuse(read, end);
      return;
    }
    const corrupt = new Map<string, string>();
    this.#stored = new Map(
      [...read.texts].flatMap(([key, text]) => {
        if (key.endsWith(CORRUPT)) return [];
        const record = this.#parse(key, text);
        if (record === undefined) corrupt.set(key + CORRUPT, text);
        return record === undefined ? [] : [[key, record] as const];
      }),
    );
    if (corrupt.size > 0 && (await this.#store.write(corrupt, end)).type === 'conflict') return;
    this.#finishRead();
  }

  #finishRead(): void {
    const wasRefused = this.#refusal !== undefined;
    this.#refusal = undefined;
    this.#isRead = true;
    if (wasRefused) {
      this.#log.info({ place: this.#store.place }, 'schedule state is kept again');
      // Meanwhile this process knew better.
      for (const [key, record] of this.#local) this.#add(overwrite(key, record));
    }
    this.#localise();
    this.#opened.resolve();
  }

  async #write(end: AbortSignal): Promise<void> {
    const batch = [...this.#pending];
    const next = new Map(this.#stored);
    const changes = new Map<string, string>();
    for (const { key, change } of batch) {
      const before = next.get(key);
      const { record } = change(before);
      if (record === undefined || record === before) continue;
      next.set(key, record);
      changes.set(key, formatRecord(record));
    }
    const written = changes.size === 0 ? { type: 'written' as const } : await this.#store.write(changes, end);
    if (written.type === 'conflict') this.#isRead = false;
    else if (written.type === 'refused') await this.#refuse(written, end);
    else this.#settle(batch, next);
  }

  #settle(batch: readonly Pending[], next: Map<string, ScheduleRecord>): void {
    const done = new Set(batch);
    this.#stored = next;
    this.#pending = this.#pending.filter((one) => !done.has(one));
    this.#localise();
    for (const { settle } of batch) settle(undefined);
  }

  /** What waits goes on without being kept; after a while the store is tried again. */
  async #refuse(refusal: Refused, end: AbortSignal): Promise<void> {
    if (this.#refusal === undefined) {
      const { error, advice } = refusal;
      const fields = { place: this.#store.place, err: error, advice };
      this.#log.error(fields, 'schedule state cannot be kept, ticks missed while nobody is there are lost');
    }
    this.#refusal = refusal;
    this.#isRead = false;
    this.#opened.resolve();
    const again = sleep(REFUSED_RETRY_MS, end);
    let isOver = false;
    const over = again.then(() => {
      isOver = true;
    });
    this.#applyLocally();
    while (!isOver && !this.#isEnding) {
      await Promise.race([over, this.#idle()]);
      this.#applyLocally();
    }
  }

  #applyLocally(): void {
    const batch = this.#pending;
    this.#pending = [];
    for (const { key, change, isNote, settle } of batch) {
      // A note is in there since it was made.
      const record = isNote ? undefined : change(this.#local.get(key)).record;
      if (record !== undefined) this.#local.set(key, record);
      settle(undefined);
    }
  }

  #localise(): void {
    this.#local = new Map(this.#stored);
    for (const { key, change, isNote } of this.#pending) {
      const record = isNote ? change(this.#local.get(key)).record : undefined;
      if (record !== undefined) this.#local.set(key, record);
    }
  }

  #parse(key: string, text: string): ScheduleRecord | undefined {
    try {
      return parseRecord(text);
    } catch (error) {
      const content = text.slice(0, MAX_SHOWN);
      const fields = { place: this.#store.place, key, keptAs: key + CORRUPT, content, err: error };
      this.#log.warn(fields, 'state of a schedule cannot be read, it starts anew');
      return undefined;
    }
  }
}

const CORRUPT = '.corrupt';

function overwrite(key: string, record: ScheduleRecord): Pending {
  return { key, change: () => ({ record, result: undefined }), isNote: true, settle: () => {} };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
