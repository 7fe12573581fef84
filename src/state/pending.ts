import { latch } from '../lib/latch.ts';
import type { Change } from './records.ts';

/** A change that is not written yet. */
export interface Pending<T> {
  readonly key: string;
  /** What becomes of the record; the known one or `undefined` where nothing changes. It may be asked again. */
  readonly change: (known: T | undefined) => T | undefined;
  /** Whether it is shown before it is written. */
  readonly isNote: boolean;
  /** Called when it is written, or made in memory where nothing can be written. */
  readonly settle: () => void;
}

export interface Applied<T> {
  /** All records with the changes made, in a map of their own. */
  readonly records: Map<string, T>;
  /** Those that differ now. */
  readonly changed: ReadonlyMap<string, T>;
}

/** Makes the changes one after the other on top of `stored`, which stays as it is. */
export function applyChanges<T>(stored: ReadonlyMap<string, T>, changes: readonly Pending<T>[]): Applied<T> {
  const records = new Map(stored);
  const changed = new Map<string, T>();
  for (const { key, change } of changes) {
    const before = records.get(key);
    const record = change(before);
    if (record === undefined || record === before) continue;
    records.set(key, record);
    changed.set(key, record);
  }
  return { records, changed };
}

/** `change` as it waits; `settled` is what comes of it, or `undefined` once it is given up. */
export function pendingUpdate<T, R>(key: string, change: Change<T, R>) {
  const { promise: settled, resolve } = latch<R | undefined>();
  let result: R | undefined;
  const pending: Pending<T> = {
    key,
    change: (known) => {
      const changed = change(known);
      result = changed.result;
      return changed.record;
    },
    isNote: false,
    settle: () => resolve(result),
  };
  return { pending, settled, giveUp: () => resolve(undefined) };
}

/** A change that is shown at once, of a record that is known. */
export function pendingNote<T>(key: string, change: (known: T) => T): Pending<T> {
  return { key, change: (known) => known && change(known), isNote: true, settle: () => {} };
}

/** Changes that write these records over whatever is stored. */
export function overwrites<T>(records: ReadonlyMap<string, T>): readonly Pending<T>[] {
  return [...records].map(([key, record]) => ({ key, change: () => record, isNote: true, settle: () => {} }));
}
