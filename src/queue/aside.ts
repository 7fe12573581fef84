import { DueTimes } from './due-times.ts';

interface Waiting<T> {
  readonly task: T;
  readonly keys: readonly string[];
}

/**
 * Tasks that wait beside a queue, each until its time has come, when `onDue` gets it and it is here no longer. The queue
 * holds tasks back here, and takes those that have something to do with one that comes.
 */
export class Aside<T> {
  readonly #onDue: (task: T) => void;
  readonly #times = new DueTimes<Waiting<T>>();
  readonly #all = new Set<Waiting<T>>();
  readonly #byKey = new Map<string, Set<Waiting<T>>>();

  constructor(onDue: (task: T) => void) {
    this.#onDue = onDue;
  }

  get size(): number {
    return this.#all.size;
  }

  get tasks(): readonly T[] {
    return [...this.#all].map(({ task }) => task);
  }

  /** The tasks with the time of each, in milliseconds since the epoch. */
  get waiting(): readonly { readonly task: T; readonly untilMs: number }[] {
    return [...this.#all].map((waiting) => ({ task: waiting.task, untilMs: this.#times.get(waiting) ?? 0 }));
  }

  hold(task: T, keys: readonly string[], untilMs: number): void {
    const waiting = { task, keys };
    this.#all.add(waiting);
    for (const key of keys) {
      const ofKey = this.#byKey.get(key) ?? new Set();
      this.#byKey.set(key, ofKey.add(waiting));
    }
    this.#times.set(waiting, untilMs);
  }

  /** Removes and returns the tasks that have one of `keys`, oldest first. */
  take(keys: readonly string[]): readonly T[] {
    if (this.#all.size === 0) return [];
    const taken = new Set(keys.flatMap((key) => [...(this.#byKey.get(key) ?? [])]));
    for (const waiting of taken) this.#remove(waiting);
    return [...taken].map(({ task }) => task);
  }

  /** Removes and returns the tasks that are unwanted. */
  drop(isUnwanted: (task: T) => boolean): readonly T[] {
    const dropped = [...this.#all].filter(({ task }) => isUnwanted(task));
    for (const waiting of dropped) this.#remove(waiting);
    return dropped.map(({ task }) => task);
  }

  /** Gives tasks to `onDue` when their time has come, until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#times.run((waiting) => {
      this.#remove(waiting);
      this.#onDue(waiting.task);
    }, signal);
  }

  #remove(waiting: Waiting<T>): void {
    this.#times.delete(waiting);
    this.#all.delete(waiting);
    for (const key of waiting.keys) {
      const ofKey = this.#byKey.get(key);
      ofKey?.delete(waiting);
      if (ofKey?.size === 0) this.#byKey.delete(key);
    }
  }
}
