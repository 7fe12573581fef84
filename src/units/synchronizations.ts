import type { KubernetesBinding } from '../hook/binding.ts';
import type { OwnSlice } from '../hook/shard.ts';
import type { Task } from '../hook/task.ts';
import type { SynchronizationTrigger } from '../hook/trigger.ts';
import { Channel } from '../lib/channel.ts';
import { sleep } from '../lib/sleep.ts';

/** A task that waits for its next attempt, and what has it tried at once. */
export interface WaitingTask {
  readonly task: Task;
  readonly hasten: () => void;
}

interface Retry {
  readonly task: Task;
  readonly delayMs: number;
}

export interface SynchronizationsOptions {
  /** Puts a task into the queue `main` again. */
  readonly requeue: (task: Task) => void;
  readonly now: () => number;
}

/**
 * The Synchronizations of a hook that are not done, in the order of its config, and then those of slices in the order in
 * which these were taken. One that fails waits for its retry
 * outside its queue, so that other hooks go on; the hook's Synchronizations behind it are deferred until it is done.
 */
export class Synchronizations {
  readonly #options: SynchronizationsOptions;
  readonly #owed: SynchronizationTrigger[] = [];
  readonly #deferred: Task[] = [];
  readonly #retries = new Channel<Retry>();
  #waiting: WaitingTask | undefined;

  constructor(options: SynchronizationsOptions) {
    this.#options = options;
  }

  get isDone(): boolean {
    return this.#owed.length === 0;
  }

  /** The failed Synchronization whose delay has begun; undefined when there is none. */
  get waiting(): WaitingTask | undefined {
    return this.#waiting;
  }

  /** This Synchronization is to be run. */
  owe(trigger: SynchronizationTrigger): void {
    this.#owed.push(trigger);
  }

  /** Takes a task that comes before an earlier Synchronization is done; returns whether it took it. */
  defer(task: Task): boolean {
    const [first] = task.triggers;
    const place = first.type === 'synchronization' ? this.#placeOf(first) : -1;
    if (place < 1) return false;
    this.#deferred.push(task);
    return true;
  }

  /** These Synchronizations are done: queues the deferred tasks again. */
  finish(triggers: readonly SynchronizationTrigger[]): void {
    for (const trigger of triggers) {
      const index = this.#placeOf(trigger);
      if (index !== -1) this.#owed.splice(index, 1);
    }
    for (const task of this.#deferred.splice(0)) this.#options.requeue(task);
  }

  /** A slice of a binding was given: what waited for its Synchronization is queued again. */
  given(binding: KubernetesBinding, slice: OwnSlice): void {
    this.finish([{ type: 'synchronization', binding, slice }]);
  }

  #placeOf({ binding, slice }: SynchronizationTrigger): number {
    return this.#owed.findIndex((owed) => owed.binding === binding && owed.slice === slice);
  }

  /** Queues a failed Synchronization again after `delayMs`, which begins when the retries before it are queued. */
  retryLater(task: Task, delayMs: number): void {
    this.#retries.push({ task, delayMs });
  }

  /** Queues failed Synchronizations again, one after the other, until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.#retries.close(), { once: true });
    for await (const { task, delayMs } of this.#retries) {
      const hastened = new AbortController();
      this.#waiting = { task, hasten: () => hastened.abort() };
      await sleep(delayMs, AbortSignal.any([signal, hastened.signal]));
      this.#waiting = undefined;
      if (signal.aborted) return;
      this.#options.requeue({ ...task, queuedAtMs: this.#options.now() });
    }
  }
}

/** The Synchronizations that a task runs. */
export function synchronizationsOf(task: Task): readonly SynchronizationTrigger[] {
  return task.triggers.filter((trigger) => trigger.type === 'synchronization');
}
