import { aborted } from '../lib/aborted.ts';
import { latch } from '../lib/latch.ts';
import type { TaskQueue } from './task-queue.ts';

/** A queue by name: with `parallelism` one that is in order for each key alone, else one that is in order. */
export interface Place {
  readonly name: string;
  readonly parallelism?: number;
}

/** Queues by name, each created at the first `get` of its place. */
export class Queues<T> {
  readonly #create: (place: Place) => TaskQueue<T>;
  readonly #queues = new Map<string, TaskQueue<T>>();
  #start: (queue: TaskQueue<T>) => void = () => {};

  constructor(create: (place: Place) => TaskQueue<T>) {
    this.#create = create;
  }

  /** All queues, in the order in which they were created. */
  get all(): readonly TaskQueue<T>[] {
    return [...this.#queues.values()];
  }

  /** The number of tasks in all queues. */
  get length(): number {
    return this.all.reduce((sum, queue) => sum + queue.length, 0);
  }

  /** The queue of a place. Of the two kinds each may have one of the same name; the latest `parallelism` counts. */
  get(place: Place): TaskQueue<T> {
    const { name, parallelism } = place;
    const key = parallelism === undefined ? `in order ${name}` : `by key ${name}`;
    const known = this.#queues.get(key);
    if (known !== undefined) {
      if (parallelism !== undefined) known.resize(parallelism);
      return known;
    }
    const queue = this.#create(place);
    this.#queues.set(key, queue);
    this.#start(queue);
    return queue;
  }

  /**
   * Runs all queues, also those created later, until `signal` aborts and every running task has ended. Rejects with the
   * first error of a queue.
   */
  async run(signal: AbortSignal): Promise<void> {
    const workers = new Set<Promise<void>>();
    const crash = latch<never>();
    this.#start = (queue) => workers.add(queue.run(signal).catch(crash.reject));
    try {
      for (const queue of this.#queues.values()) this.#start(queue);
      await Promise.race([aborted(signal), crash.promise]);
      await Promise.race([Promise.all(workers), crash.promise]);
    } finally {
      this.#start = () => {};
    }
  }
}
