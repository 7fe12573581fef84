/*
 * What the rest of the program sees of persisted records. `Kept` implements it over a store, `MemoryRecords` without
 * one. Sources call `ready` before they rely on earlier records, `get` to read, `update` when a change must be made on
 * top of what other processes wrote (it settles once that is certain), `note` when a change may be written later, and
 * `refresh` to see what others wrote.
 */

/** A change of a record, with a result for the caller. It may be called again when others wrote in between. */
export type Change<T, R> = (known: T | undefined) => {
  /** The changed record, or the known one or `undefined` for no change. */
  readonly record: T | undefined;
  readonly result: R;
};

/** Records by key, which may survive the process. */
export interface Records<T> {
  /** Whether they are persisted at the moment. */
  readonly isKept: boolean;
  /** Resolves when the persisted records have been read, when the store refused, or when `signal` aborts. */
  ready(signal: AbortSignal): Promise<void>;
  /** Reads what others may have written; resolves when that is done, or when `signal` aborts. */
  refresh(signal: AbortSignal): Promise<void>;
  /** Returns the record as this process knows it. */
  get(key: string): T | undefined;
  /**
   * Changes a record on top of what others wrote; resolves with the result once it is written, or with `undefined` when
   * `signal` aborts first.
   */
  update<R>(key: string, change: Change<T, R>, signal: AbortSignal): Promise<R | undefined>;
  /**
   * Changes a known record locally at once and writes it when possible; does nothing when the record is unknown. The
   * change may be applied more than once.
   */
  note(key: string, change: (known: T) => T): void;
}

/** Records in memory only. */
export class MemoryRecords<T> implements Records<T> {
  readonly isKept = false;
  readonly #records = new Map<string, T>();

  async ready(): Promise<void> {}

  async refresh(): Promise<void> {}

  get(key: string): T | undefined {
    return this.#records.get(key);
  }

  async update<R>(key: string, change: Change<T, R>): Promise<R> {
    const { record, result } = change(this.#records.get(key));
    if (record !== undefined) this.#records.set(key, record);
    return result;
  }

  note(key: string, change: (known: T) => T): void {
    const known = this.#records.get(key);
    if (known !== undefined) this.#records.set(key, change(known));
  }
}
