import { applyChanges, overwrites, pendingNote, type Pending } from './pending.ts';

/** What this process knows: records as they are shown, and the changes that are not written yet. */
export class LocalRecords<T> {
  #shown = new Map<string, T>();
  /** Oldest first. */
  #pending: Pending<T>[] = [];

  get isWritten(): boolean {
    return this.#pending.length === 0;
  }

  /** The changes that are not written yet, as of now. */
  changes(): readonly Pending<T>[] {
    return [...this.#pending];
  }

  get(key: string): T | undefined {
    return this.#shown.get(key);
  }

  /** Changes that write all that is shown over whatever is stored. */
  overwrites(): readonly Pending<T>[] {
    return overwrites(this.#shown);
  }

  add(pending: Pending<T>): void {
    this.#pending.push(pending);
  }

  drop(pending: Pending<T>): void {
    this.#pending = this.#pending.filter((one) => one !== pending);
  }

  /** Makes the change in what is shown; returns whether the record is known. */
  note(key: string, change: (known: T) => T): boolean {
    const known = this.#shown.get(key);
    if (known === undefined) return false;
    this.#shown.set(key, change(known));
    this.add(pendingNote(key, change));
    return true;
  }

  /** Shows what is stored, with the notes on top that are not written yet. */
  show(stored: ReadonlyMap<string, T>): void {
    const notes = this.#pending.filter(({ isNote }) => isNote);
    this.#shown = applyChanges(stored, notes).records;
  }

  /** These changes are written, which led to `stored`. */
  settle(written: readonly Pending<T>[], stored: ReadonlyMap<string, T>): void {
    const done = new Set(written);
    this.#pending = this.#pending.filter((one) => !done.has(one));
    this.show(stored);
    for (const { settle } of written) settle();
  }

  /** Makes all pending changes in what is shown, as they cannot be written. */
  settleUnwritten(): void {
    const changes = this.#pending;
    this.#pending = [];
    // A note is shown since it was made.
    const unseen = changes.filter(({ isNote }) => !isNote);
    this.#shown = applyChanges(this.#shown, unseen).records;
    for (const { settle } of changes) settle();
  }
}
