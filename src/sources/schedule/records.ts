import type { ScheduleRecord } from './record.ts';

/** What becomes of a record, and what came of it. May be asked again, when others wrote in between. */
export type Change<R> = (known: ScheduleRecord | undefined) => {
  readonly record: ScheduleRecord | undefined;
  readonly result: R;
};

/** The records of schedule bindings by key. */
export interface ScheduleRecords {
  /** Whether they outlive the operator, as things are. */
  readonly isKept: boolean;
  /** Resolves when what was kept has been read, or `signal` aborts. */
  ready(signal: AbortSignal): Promise<void>;
  /** Looks at what others may have written; resolves when that is done, or `signal` aborts. */
  refresh(signal: AbortSignal): Promise<void>;
  /** The record with all that this process knows. */
  get(key: string): ScheduleRecord | undefined;
  /** Changes a record and resolves once nobody can have changed it in between; `undefined` when `signal` aborts first. */
  update<R>(key: string, change: Change<R>, signal: AbortSignal): Promise<R | undefined>;
  /** Changes a record now; where it is kept, it is written as soon as that works. The change may be made again. */
  note(key: string, change: (known: ScheduleRecord) => ScheduleRecord): void;
}

/** Records that end with the process. */
export class MemoryRecords implements ScheduleRecords {
  readonly isKept = false;
  readonly #records = new Map<string, ScheduleRecord>();

  async ready(): Promise<void> {}

  async refresh(): Promise<void> {}

  get(key: string): ScheduleRecord | undefined {
    return this.#records.get(key);
  }

  async update<R>(key: string, change: Change<R>): Promise<R> {
    const { record, result } = change(this.#records.get(key));
    if (record !== undefined) this.#records.set(key, record);
    return result;
  }

  note(key: string, change: (known: ScheduleRecord) => ScheduleRecord): void {
    const known = this.#records.get(key);
    if (known !== undefined) this.#records.set(key, change(known));
  }
}
