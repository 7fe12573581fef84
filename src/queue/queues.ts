import { aborted } from '../lib/aborted.ts';
import { latch } from '../lib/latch.ts';
import type { Queue } from './queue.ts';

/** Queues by name, each created at the first `get` of its name. */
export class Queues<T> {
  readonly #create: (name: string) => Queue<T>;
  readonly #queues = new Map<string, Queue<T>>();
  #start: (queue: Queue<T>) => void = () => {};

  constructor(create: (name: string) => Queue<T>) {
    this.#create = create;
  }

  /** All queues, in the order in which they were created. */
  get all(): readonly Queue<T>[] {
    return [...this.#queues.values()];
  }

  /** The number of tasks in all queues. */
  get length(): number {
    return this.all.reduce((sum, queue) => sum + queue.length, 0);
  }

  get(name: string): Queue<T> {
    const known = this.#queues.get(name);
    if (known !== undefined) return known;
    const queue = this.#create(name);
    this.#queues.set(name, queue);
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
