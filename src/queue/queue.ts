import { latch } from '../lib/latch.ts';
import { sleep } from '../lib/sleep.ts';
import { unreachable } from '../lib/unreachable.ts';

/** What happens to the head after its work. */
export type Verdict<T> =
  /** It leaves the queue. */
  | { readonly type: 'done' }
  /** It is replaced by `as`, which is worked on after `delayMs`. */
  | { readonly type: 'again'; readonly as: T; readonly delayMs: number }
  /** It stays at the head; only for a queue whose signal has aborted, else it is worked on again immediately. */
  | { readonly type: 'keep' };

export interface QueueOptions<T> {
  readonly name: string;
  /** Does the work of the head; a rejection is a bug, with which `run` rejects. */
  readonly handle: (task: T, signal: AbortSignal) => Promise<Verdict<T>>;
  /**
   * Merges tasks that may run together. Called before work on the head if tasks were pushed or dropped since the last
   * call. Gets all tasks in order and returns those to keep; must return equal tasks when called with its own result.
   */
  readonly combine: (tasks: readonly T[]) => readonly T[];
  /** Waits until the head may run, such as for a rate limit; tasks that are pushed meanwhile are combined too. */
  readonly admit?: (head: T, signal: AbortSignal) => Promise<void>;
  /** Called whenever the number of tasks changes. */
  readonly onLength?: (length: number) => void;
}

type State =
  | { readonly type: 'new' }
  | { readonly type: 'idle'; readonly sinceMs: number }
  | { readonly type: 'admitting'; readonly sinceMs: number }
  | { readonly type: 'running'; readonly sinceMs: number }
  | { readonly type: 'delayed'; readonly delayMs: number; readonly untilMs: number }
  | { readonly type: 'stopped' };

/**
 * A named FIFO with one worker: tasks are worked on one at a time, in order, and a failing head blocks the tasks behind
 * it. `Queues` calls `run` once; `push` and `drop` may be called at any time, also before it. The worker wakes up when
 * a task is pushed; nothing polls.
 *
 * - new: `run` has not been called.
 * - idle: there is no task.
 * - admitting: the head waits until it may run.
 * - running: `handle` works on the head.
 * - delayed: the head failed, and waits for its next attempt.
 * - stopped: `run` has ended, and the tasks that are left stay in `tasks`.
 *
 * What must hold: the first element of `tasks` is the head, and a running head is neither combined nor dropped.
 */
export class Queue<T> {
  readonly name: string;
  readonly #options: QueueOptions<T>;
  #tasks: T[] = [];
  #state: State = { type: 'new' };
  #isCombined = true;
  #wake: () => void = () => {};
  #endWait: () => void = () => {};

  constructor(options: QueueOptions<T>) {
    this.name = options.name;
    this.#options = options;
  }

  /** The number of tasks, a running one included. */
  get length(): number {
    return this.#tasks.length;
  }

  /** A copy of the tasks in order, a running one first. */
  get tasks(): readonly T[] {
    return [...this.#tasks];
  }

  /** Since when the head waits for `admit`, in milliseconds since the epoch; undefined unless it does. */
  get admittingSinceMs(): number | undefined {
    return this.#state.type === 'admitting' ? this.#state.sinceMs : undefined;
  }

  /** Since when the head runs, in milliseconds since the epoch; undefined unless it runs. */
  get runningSinceMs(): number | undefined {
    return this.#state.type === 'running' ? this.#state.sinceMs : undefined;
  }

  /** When the head that failed is worked on again, in milliseconds since the epoch; undefined in any other state. */
  get delayedUntilMs(): number | undefined {
    return this.#state.type === 'delayed' ? this.#state.untilMs : undefined;
  }

  /** What the worker does now, as text such as `waiting for task 3s`. */
  get status(): string {
    return describe(this.#state, Date.now());
  }

  push(...tasks: readonly T[]): void {
    if (tasks.length === 0) return;
    for (const task of tasks) this.#tasks.push(task);
    this.#isCombined = false;
    this.#options.onLength?.(this.length);
    this.#wake();
  }

  /** Removes waiting tasks and returns them. A running head stays; the delay of a head that is removed ends. */
  drop(isUnwanted: (task: T) => boolean): readonly T[] {
    const isRunning = this.#state.type === 'running';
    const dropped = this.#tasks.filter((task, index) => !(isRunning && index === 0) && isUnwanted(task));
    if (dropped.length === 0) return dropped;
    const [head] = this.#tasks;
    const gone = new Set(dropped);
    this.#tasks = this.#tasks.filter((task) => !gone.has(task));
    this.#isCombined = false;
    if (this.#tasks[0] !== head) this.#endWait();
    this.#options.onLength?.(this.length);
    return dropped;
  }

  /** Works until `signal` aborts; resolves when the work that is running then has ended. */
  async run(signal: AbortSignal): Promise<void> {
    const wake = (): void => this.#wake();
    signal.addEventListener('abort', wake, { once: true });
    try {
      while (!signal.aborted) {
        const [head] = this.#tasks;
        if (head === undefined) await this.#idle();
        else await this.#work(head, signal);
      }
    } finally {
      signal.removeEventListener('abort', wake);
      this.#state = { type: 'stopped' };
    }
  }

  async #idle(): Promise<void> {
    this.#state = { type: 'idle', sinceMs: Date.now() };
    const { promise, resolve } = latch();
    this.#wake = resolve;
    await promise;
    this.#wake = () => {};
  }

  async #work(first: T, signal: AbortSignal): Promise<void> {
    await this.#admit(first, signal);
    // The head may have been dropped meanwhile: the next one is admitted for itself.
    if (signal.aborted || this.#tasks[0] !== first) return;
    const head = this.#combine();
    if (head === undefined) return;
    this.#state = { type: 'running', sinceMs: Date.now() };
    const verdict = await this.#options.handle(head, signal);
    if (verdict.type === 'done') this.#dropHead();
    // Work that the shutdown cut short has not failed: its task stays at the head.
    else if (verdict.type === 'again' && !signal.aborted) await this.#delay(verdict, signal);
  }

  async #admit(head: T, signal: AbortSignal): Promise<void> {
    if (this.#options.admit === undefined) return;
    this.#state = { type: 'admitting', sinceMs: Date.now() };
    const admission = new AbortController();
    this.#endWait = () => admission.abort();
    await this.#options.admit(head, AbortSignal.any([signal, admission.signal]));
  }

  #combine(): T | undefined {
    if (this.#isCombined) return this.#tasks[0];
    this.#isCombined = true;
    const combined = this.#options.combine(this.#tasks);
    if (combined !== this.#tasks) {
      const before = this.#tasks.length;
      this.#tasks = [...combined];
      if (combined.length !== before) this.#options.onLength?.(this.length);
    }
    return this.#tasks[0];
  }

  async #delay({ as, delayMs }: Extract<Verdict<T>, { readonly type: 'again' }>, signal: AbortSignal): Promise<void> {
    this.#tasks[0] = as;
    this.#state = { type: 'delayed', delayMs, untilMs: Date.now() + delayMs };
    const delay = new AbortController();
    this.#endWait = () => delay.abort();
    await sleep(delayMs, AbortSignal.any([signal, delay.signal]));
  }

  #dropHead(): void {
    this.#tasks.shift();
    this.#options.onLength?.(this.length);
  }
}

function describe(state: State, nowMs: number): string {
  switch (state.type) {
    case 'new':
      return '';
    case 'idle':
      return `waiting for task ${seconds(nowMs - state.sinceMs)}`;
    case 'admitting':
      return `waiting for the rate limit ${seconds(nowMs - state.sinceMs)}`;
    case 'running':
      return 'run first task';
    case 'delayed': {
      const left = seconds(Math.max(0, state.untilMs - nowMs));
      const delay = seconds(state.delayMs);
      return `sleep after fail for ${delay} (${left} left of ${delay} delay)`;
    }
    case 'stopped':
      return 'stop';
    default:
      return unreachable(state);
  }
}

function seconds(ms: number): string {
  return `${Number((ms / 1000).toFixed(1))}s`;
}
