import { latch } from '../lib/latch.ts';
import type { Change } from './records.ts';

/** A change that is not written yet. */
export interface Pending<T> {
  readonly key: string;
  /** Returns the changed record, or the known one or `undefined` for no change. It may be called more than once. */
  readonly change: (known: T | undefined) => T | undefined;
  /** Whether it is applied locally before it is written. */
  readonly isNote: boolean;
  /** Called when the change is written, or applied in memory when nothing can be written. */
  readonly settle: () => void;
}

/** The result of applying changes to stored records. */
export interface Applied<T> {
  /** A new map of all records with the changes applied. */
  readonly records: Map<string, T>;
  /** The records that differ. */
  readonly changed: ReadonlyMap<string, T>;
}

/** Applies the changes in order to `stored`, which is not modified. */
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

/** Wraps `change` as a pending one; `settled` resolves with its result, or with `undefined` after `giveUp`. */
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

/** A change of a known record that is applied locally at once. */
export function pendingNote<T>(key: string, change: (known: T) => T): Pending<T> {
  return { key, change: (known) => known && change(known), isNote: true, settle: () => {} };
}

/** Changes that write these records over what is stored. */
export function overwrites<T>(records: ReadonlyMap<string, T>): readonly Pending<T>[] {
  return [...records].map(([key, record]) => ({ key, change: () => record, isNote: true, settle: () => {} }));
}
