import { latch } from '../lib/latch.ts';
import { sleep } from '../lib/sleep.ts';
import { unreachable } from '../lib/unreachable.ts';

/** What becomes of the head after its work: it leaves the queue, or is tried again after a delay, as another value. */
export type Verdict<T> =
  | { readonly type: 'done' }
  | { readonly type: 'again'; readonly as: T; readonly delayMs: number }
  /** It stays at the head, and the queue, which is about to end, does nothing more. */
  | { readonly type: 'keep' };

export interface QueueOptions<T> {
  readonly name: string;
  /** Does the work of one task; a rejection is a bug, and ends the queue with it. */
  readonly handle: (task: T, signal: AbortSignal) => Promise<Verdict<T>>;
  /**
   * Merges what may run together; gets all waiting tasks in order, before the next attempt at the head whenever tasks
   * came or were dropped. What it merged once it has nothing more to say about.
   */
  readonly combine: (tasks: readonly T[]) => readonly T[];
  /** Waits until the head may run, such as for a rate limit; what is pushed meanwhile is combined too. */
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

/** A named FIFO worked by one worker: order is kept, and a failing head blocks what is behind it. */
export class Queue<T> {
  readonly name: string;
  readonly #options: QueueOptions<T>;
  #tasks: T[] = [];
  #state: State = { type: 'new' };
  #isCombined = true;
  #wake: () => void = () => {};
  #endDelay: () => void = () => {};

  constructor(options: QueueOptions<T>) {
    this.name = options.name;
    this.#options = options;
  }

  /** Tasks that wait or run. */
  get length(): number {
    return this.#tasks.length;
  }

  /** The tasks in order, the running one first; a copy. */
  get tasks(): readonly T[] {
    return [...this.#tasks];
  }

  /** Since when the head runs; absent unless it does. */
  get runningSinceMs(): number | undefined {
    return this.#state.type === 'running' ? this.#state.sinceMs : undefined;
  }

  /** When the head that failed is tried again; absent unless it waits for that. */
  get delayedUntilMs(): number | undefined {
    return this.#state.type === 'delayed' ? this.#state.untilMs : undefined;
  }

  /** What the worker does now, in words. */
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

  /** Takes out waiting tasks and returns them; the one that runs stays, and the delay of a head that goes ends. */
  drop(isUnwanted: (task: T) => boolean): readonly T[] {
    const isRunning = this.#state.type === 'running';
    const dropped = this.#tasks.filter((task, index) => !(isRunning && index === 0) && isUnwanted(task));
    if (dropped.length === 0) return dropped;
    const [head] = this.#tasks;
    const gone = new Set(dropped);
    this.#tasks = this.#tasks.filter((task) => !gone.has(task));
    this.#isCombined = false;
    if (this.#tasks[0] !== head) this.#endDelay();
    this.#options.onLength?.(this.length);
    return dropped;
  }

  /** Works until `signal` aborts; the task then running is awaited, not abandoned. */
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
    if (signal.aborted) return;
    const head = this.#combine();
    if (head === undefined) return;
    this.#state = { type: 'running', sinceMs: Date.now() };
    const verdict = await this.#options.handle(head, signal);
    if (verdict.type === 'done') this.#dropHead();
    // Work cut short by the shutdown has not failed; its task stays visible.
    else if (verdict.type === 'again' && !signal.aborted) await this.#delay(verdict, signal);
  }

  async #admit(head: T, signal: AbortSignal): Promise<void> {
    if (this.#options.admit === undefined) return;
    this.#state = { type: 'admitting', sinceMs: Date.now() };
    await this.#options.admit(head, signal);
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
    this.#endDelay = () => delay.abort();
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
