/** What becomes of a record, and what came of it. It may be asked again, when others wrote in between. */
export type Change<T, R> = (known: T | undefined) => {
  /** The known one or `undefined` where nothing changes. */
  readonly record: T | undefined;
  readonly result: R;
};

/** Records by key, which may outlive the process. */
export interface Records<T> {
  /** Whether they are persisted, as things are. */
  readonly isKept: boolean;
  /** Resolves when what is persisted has been read or cannot be, or `signal` aborts. */
  ready(signal: AbortSignal): Promise<void>;
  /** Looks at what others may have written; resolves when that is done, or `signal` aborts. */
  refresh(signal: AbortSignal): Promise<void>;
  /** The record with all that this process knows. */
  get(key: string): T | undefined;
  /** Changes a record and resolves once nobody can have changed it in between; `undefined` when `signal` aborts first. */
  update<R>(key: string, change: Change<T, R>, signal: AbortSignal): Promise<R | undefined>;
  /** Changes a known record now, and writes it as soon as that works. The change may be made again. */
  note(key: string, change: (known: T) => T): void;
}

/** Records that end with the process. */
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
