import { applyChanges, overwrites, pendingNote, type Pending } from './pending.ts';

/** The records as this process sees them, and its changes that are not written yet. */
export class LocalRecords<T> {
  #shown = new Map<string, T>();
  /** The unwritten changes, oldest first. */
  #pending: Pending<T>[] = [];

  get isWritten(): boolean {
    return this.#pending.length === 0;
  }

  /** A copy of the changes that are not written yet. */
  changes(): readonly Pending<T>[] {
    return [...this.#pending];
  }

  get(key: string): T | undefined {
    return this.#shown.get(key);
  }

  /** Changes that write all records over what is stored. */
  overwrites(): readonly Pending<T>[] {
    return overwrites(this.#shown);
  }

  add(pending: Pending<T>): void {
    this.#pending.push(pending);
  }

  drop(pending: Pending<T>): void {
    this.#pending = this.#pending.filter((one) => one !== pending);
  }

  /** Applies a change at once and queues it for writing; returns false when the record is unknown. */
  note(key: string, change: (known: T) => T): boolean {
    const known = this.#shown.get(key);
    if (known === undefined) return false;
    this.#shown.set(key, change(known));
    this.add(pendingNote(key, change));
    return true;
  }

  /** Takes over the stored records, with the unwritten notes applied. */
  show(stored: ReadonlyMap<string, T>): void {
    const notes = this.#pending.filter(({ isNote }) => isNote);
    this.#shown = applyChanges(stored, notes).records;
  }

  /** Settles changes that were written; `stored` is the result. */
  settle(written: readonly Pending<T>[], stored: ReadonlyMap<string, T>): void {
    const done = new Set(written);
    this.#pending = this.#pending.filter((one) => !done.has(one));
    this.show(stored);
    for (const { settle } of written) settle();
  }

  /** Applies and settles all pending changes in memory, because they cannot be written. */
  settleUnwritten(): void {
    const changes = this.#pending;
    this.#pending = [];
    // Notes are applied already.
    const unseen = changes.filter(({ isNote }) => !isNote);
    this.#shown = applyChanges(this.#shown, unseen).records;
    for (const { settle } of changes) settle();
  }
}
