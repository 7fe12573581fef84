import { latch } from '../lib/latch.ts';
import { runAll } from '../lib/run-all.ts';
import { sleep } from '../lib/sleep.ts';
import { unreachable } from '../lib/unreachable.ts';
import { Aside } from './aside.ts';
import { queueStatus, type QueueState } from './queue-status.ts';
import type { Head, TaskQueue, Verdict } from './task-queue.ts';

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
  /** What a task is about: of tasks with a common key none overtakes another. Default: nothing. */
  readonly keysOf?: (task: T) => readonly string[];
  /** Makes a task that waits aside as if it had just come, because another one about the same came. */
  readonly anew?: (task: T) => T;
  /** Called whenever the number of tasks changes. */
  readonly onLength?: (length: number) => void;
}

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
 * A task that is set aside leaves the head and waits beside the queue until its time has come, when it is queued again. A
 * new task about the same ends that wait: the one that waits is queued in front of it.
 *
 * What must hold: the first element of `tasks` is the head, unless all tasks wait aside; a running head is neither
 * combined nor dropped; and of what waits aside nothing has a key of a task in the queue.
 */
export class Queue<T> implements TaskQueue<T> {
  readonly name: string;
  readonly #options: QueueOptions<T>;
  #tasks: T[] = [];
  readonly #aside: Aside<T>;
  #state: QueueState = { type: 'new' };
  #isCombined = true;
  #wake: () => void = () => {};
  #endWait: () => void = () => {};

  constructor(options: QueueOptions<T>) {
    this.name = options.name;
    this.#options = options;
    this.#aside = new Aside((task) => this.#append(task));
  }

  /** The number of tasks, those included that run or wait aside. */
  get length(): number {
    return this.#tasks.length + this.#aside.size;
  }

  /** A copy of the tasks in order, a running one first; then those that wait aside. */
  get tasks(): readonly T[] {
    return [...this.#tasks, ...this.#aside.tasks];
  }

  get heads(): readonly Head<T>[] {
    const [task, ...behind] = this.#tasks;
    const aside = this.#aside.waiting.map((waiting) => ({ ...waiting, state: 'delayed' as const, behind: [] }));
    if (task === undefined) return aside;
    switch (this.#state.type) {
      case 'admitting':
      case 'running': {
        const { type: state, sinceMs } = this.#state;
        return [{ state, sinceMs, task, behind }, ...aside];
      }
      case 'delayed':
        return [{ state: 'delayed', untilMs: this.#state.untilMs, task, behind }, ...aside];
      case 'new':
      case 'idle':
      case 'stopped':
        return aside;
      default:
        return unreachable(this.#state);
    }
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
    return queueStatus(this.#state, Date.now());
  }

  push(...tasks: readonly T[]): void {
    if (tasks.length === 0) return;
    for (const task of tasks) {
      for (const waiting of this.#aside.take(this.#keysOf(task))) this.#tasks.push(this.#anew(waiting));
      this.#tasks.push(task);
    }
    this.#isCombined = false;
    this.#options.onLength?.(this.length);
    this.#wake();
  }

  /**
   * Has a task wait beside the queue, which goes on meanwhile. `handle` calls it for what is left of the head. Where a
   * task about the same waits in the queue, the task is put in front of that, as one that has just come.
   */
  setAside(task: T, delayMs: number): void {
    const keys = new Set(this.#keysOf(task));
    const isAbout = (other: T): boolean => this.#keysOf(other).some((key) => keys.has(key));
    const index = this.#tasks.findIndex((other, at) => !this.#isRunningAt(at) && isAbout(other));
    if (index === -1) {
      this.#aside.hold(task, [...keys], Date.now() + delayMs);
    } else {
      this.#tasks.splice(index, 0, this.#anew(task));
      this.#isCombined = false;
    }
    this.#options.onLength?.(this.length);
  }

  hasten(isWanted: (task: T) => boolean): void {
    for (const task of this.#aside.drop(isWanted)) this.#append(task);
    const [head] = this.#tasks;
    if (this.#state.type === 'delayed' && head !== undefined && isWanted(head)) this.#endWait();
  }

  hasWaiting(task: T): boolean {
    const keys = new Set(this.#keysOf(task));
    return this.#tasks.some((other, at) => !this.#isRunningAt(at) && this.#keysOf(other).some((key) => keys.has(key)));
  }

  /** Does nothing: a queue in order has one worker. */
  resize(): void {}

  /** Removes waiting tasks and returns them. A running head stays; the delay of a head that is removed ends. */
  drop(isUnwanted: (task: T) => boolean): readonly T[] {
    const dropped = this.#tasks.filter((task, at) => !this.#isRunningAt(at) && isUnwanted(task));
    const [head] = this.#tasks;
    if (dropped.length > 0) {
      const gone = new Set(dropped);
      this.#tasks = this.#tasks.filter((task) => !gone.has(task));
      this.#isCombined = false;
      if (this.#tasks[0] !== head) this.#endWait();
    }
    const aside = this.#aside.drop(isUnwanted);
    if (dropped.length + aside.length > 0) this.#options.onLength?.(this.length);
    return [...dropped, ...aside];
  }

  /** Works until `signal` aborts; resolves when the work that is running then has ended. */
  async run(signal: AbortSignal): Promise<void> {
    await runAll([async (stop) => this.#workOff(stop), async (stop) => this.#aside.run(stop)], signal);
  }

  async #workOff(signal: AbortSignal): Promise<void> {
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

  /** What waited aside is queued again. */
  #append(task: T): void {
    this.#tasks.push(task);
    this.#isCombined = false;
    this.#wake();
  }

  #isRunningAt(index: number): boolean {
    return index === 0 && this.#state.type === 'running';
  }

  #keysOf(task: T): readonly string[] {
    return this.#options.keysOf?.(task) ?? [];
  }

  #anew(task: T): T {
    return this.#options.anew?.(task) ?? task;
  }
}
