import { aborted } from '../lib/aborted.ts';
import { latch } from '../lib/latch.ts';
import { runAll } from '../lib/run-all.ts';
import { DueTimes } from './due-times.ts';
import { Lanes, type Lane } from './lanes.ts';
import type { Head, TaskQueue, Verdict } from './task-queue.ts';

export interface KeyedQueueOptions<T> {
  readonly name: string;
  /** How many keys are worked on at the same time. */
  readonly parallelism: number;
  /** What must not run side by side has the same key. */
  readonly keyOf: (task: T) => string;
  /** Makes one task of two of the same key, of which `next` came later. */
  readonly merge: (waiting: T, next: T) => T;
  /** Whether a task is one of a flood, which live ones overtake. */
  readonly isBulk: (task: T) => boolean;
  /** Does the work of a task; a rejection is a bug, with which `run` rejects. */
  readonly handle: (task: T, signal: AbortSignal) => Promise<Verdict<T>>;
  /** Waits until a task may run, such as for a rate limit. */
  readonly admit?: (task: T, signal: AbortSignal) => Promise<void>;
  /** Called whenever the number of tasks changes. */
  readonly onLength?: (length: number) => void;
}

/** The one task of a key, and where it is. */
type Entry<T> =
  /** It waits in a lane. */
  | { readonly state: 'ready'; readonly task: T }
  /** It has a turn, and waits until it may run. */
  | { readonly state: 'admitting'; readonly task: T; readonly sinceMs: number; readonly end: AbortController }
  /** `next` came while it runs. */
  | { readonly state: 'running'; readonly task: T; readonly sinceMs: number; readonly next?: T }
  /** It failed, and waits for its next attempt. */
  | { readonly state: 'delayed'; readonly task: T; readonly untilMs: number };

/**
 * A queue in order for each key alone: tasks of one key run one after the other, those of different keys side by side,
 * `parallelism` of them at a time. A task that fails holds only its key. `Queues` calls `run` once; `push` and `drop`
 * may be called at any time, also before it. Nothing polls: a task is worked on when it is pushed, when a turn is free,
 * or when its delay is over, for which all keys share one timer.
 *
 * A key has one task. One that comes while it waits is merged with it; one that comes while it runs waits as `next`,
 * and is merged with what the run leaves to be done. A live task ends the delay of its key, a bulk one does not.
 *
 * Which key is next is decided by `Lanes`: live ones, then those of a flood and further attempts. Further attempts never
 * have all turns, unless there is only one, so that however many keys fail, one that is well waits for none of them.
 *
 * What must hold: every key in a lane is `ready`, every `delayed` key is in `#delays`, and no other is in either.
 */
export class KeyedQueue<T> implements TaskQueue<T> {
  readonly name: string;
  readonly #options: KeyedQueueOptions<T>;
  #parallelism: number;
  readonly #entries = new Map<string, Entry<T>>();
  readonly #lanes = new Lanes();
  readonly #delays = new DueTimes<string>();
  readonly #workers = new Set<Promise<void>>();
  /** Turns that are taken: all, and those by the lane `again`. */
  #busy = 0;
  #busyAgain = 0;
  #length = 0;
  /** Present while `run` is pending. */
  #running: { readonly signal: AbortSignal; readonly onCrash: (error: unknown) => void } | undefined;

  constructor(options: KeyedQueueOptions<T>) {
    this.name = options.name;
    this.#options = options;
    this.#parallelism = options.parallelism;
  }

  /** The number of tasks, those included that run or wait for their next attempt. */
  get length(): number {
    return this.#length;
  }

  get tasks(): readonly T[] {
    const of = (...states: readonly Entry<T>['state'][]): readonly T[] =>
      [...this.#entries.values()].flatMap((entry) => (states.includes(entry.state) ? [entry.task] : []));
    return [...of('running', 'admitting'), ...this.#ready(), ...this.#nexts(), ...of('delayed')];
  }

  get heads(): readonly Head<T>[] {
    const held = this.#busy >= this.#parallelism ? this.#ready() : [];
    return [...this.#entries.values()].flatMap((entry): readonly Head<T>[] => {
      switch (entry.state) {
        case 'ready':
          return [];
        case 'admitting':
          return [{ state: entry.state, task: entry.task, sinceMs: entry.sinceMs, behind: held }];
        case 'running': {
          const { state, task, sinceMs, next } = entry;
          return [{ state, task, sinceMs, behind: next === undefined ? held : [next, ...held] }];
        }
        case 'delayed':
          return [{ state: entry.state, task: entry.task, untilMs: entry.untilMs, behind: [] }];
      }
    });
  }

  /** Such as `2 run, 7 wait, 3 sleep after fail`. */
  get status(): string {
    if (this.#running === undefined) return '';
    if (this.#entries.size === 0) return 'waiting for task';
    return `${this.#busy} run, ${this.#lanes.size} wait, ${this.#delays.size} sleep after fail`;
  }

  push(...tasks: readonly T[]): void {
    for (const task of tasks) this.#push(this.#options.keyOf(task), task);
    this.#fill();
  }

  drop(isUnwanted: (task: T) => boolean): readonly T[] {
    const dropped: T[] = [];
    for (const [key, entry] of this.#entries) {
      if (entry.state !== 'running') {
        if (!isUnwanted(entry.task)) continue;
        dropped.push(entry.task);
        this.#remove(key, entry);
      } else if (entry.next !== undefined && isUnwanted(entry.next)) {
        dropped.push(entry.next);
        this.#entries.set(key, { state: 'running', task: entry.task, sinceMs: entry.sinceMs });
        this.#count(-1);
      }
    }
    return dropped;
  }

  hasten(isWanted: (task: T) => boolean): void {
    for (const [key, entry] of this.#entries) {
      if (entry.state !== 'delayed' || !isWanted(entry.task)) continue;
      this.#delays.delete(key);
      this.#wake(key);
    }
  }

  hasWaiting(task: T): boolean {
    const entry = this.#entries.get(this.#options.keyOf(task));
    return entry?.state === 'running' ? entry.next !== undefined : entry !== undefined;
  }

  resize(parallelism: number): void {
    this.#parallelism = parallelism;
    this.#fill();
  }

  async run(signal: AbortSignal): Promise<void> {
    const crash = latch<never>();
    this.#running = { signal, onCrash: crash.reject };
    try {
      this.#fill();
      await runAll(
        [
          async (stop) => this.#delays.run((key) => this.#wake(key), stop),
          async (stop) => Promise.race([crash.promise, aborted(stop)]),
        ],
        signal,
      );
      await Promise.race([Promise.all(this.#workers), crash.promise]);
    } finally {
      this.#running = undefined;
    }
  }

  #push(key: string, task: T): void {
    const { merge, isBulk } = this.#options;
    const entry = this.#entries.get(key);
    if (entry === undefined) {
      this.#count(1);
      this.#makeReady(key, task, isBulk(task) ? 'bulk' : 'live');
    } else if (entry.state === 'running') {
      if (entry.next === undefined) this.#count(1);
      this.#entries.set(key, { ...entry, next: entry.next === undefined ? task : merge(entry.next, task) });
    } else {
      const merged = merge(entry.task, task);
      this.#entries.set(key, { ...entry, task: merged });
      if (!isBulk(task) && entry.state !== 'admitting') this.#advance(key, merged);
    }
  }

  /** Something live happened to a key that waits. One that is in the lane `live` already keeps its place. */
  #advance(key: string, task: T): void {
    if (this.#lanes.has(key, 'live')) return;
    this.#lanes.delete(key);
    this.#delays.delete(key);
    this.#makeReady(key, task, 'live');
  }

  #makeReady(key: string, task: T, lane: Lane): void {
    this.#entries.set(key, { state: 'ready', task });
    this.#lanes.add(key, lane);
  }

  /** The delay of a key is over. */
  #wake(key: string): void {
    const entry = this.#entries.get(key);
    if (entry?.state !== 'delayed') return;
    this.#makeReady(key, entry.task, 'again');
    this.#fill();
  }

  #remove(key: string, entry: Entry<T>): void {
    if (entry.state === 'admitting') entry.end.abort();
    this.#lanes.delete(key);
    this.#delays.delete(key);
    this.#entries.delete(key);
    this.#count(-1);
  }

  /** Gives free turns to the keys that are ready. */
  #fill(): void {
    const running = this.#running;
    while (running !== undefined && !running.signal.aborted && this.#busy < this.#parallelism) {
      const turn = this.#lanes.take(this.#busyAgain < Math.max(1, this.#parallelism - 1));
      const entry = turn && this.#entries.get(turn.key);
      if (turn === undefined || entry === undefined) return;
      const isAgain = turn.lane === 'again' ? 1 : 0;
      this.#busy += 1;
      this.#busyAgain += isAgain;
      const admission = {
        state: 'admitting',
        task: entry.task,
        sinceMs: Date.now(),
        end: new AbortController(),
      } as const;
      this.#entries.set(turn.key, admission);
      const worker = this.#work(turn.key, admission.end, running.signal)
        .catch(running.onCrash)
        .finally(() => {
          this.#workers.delete(worker);
          this.#busy -= 1;
          this.#busyAgain -= isAgain;
          this.#fill();
        });
      this.#workers.add(worker);
    }
  }

  async #work(key: string, end: AbortController, signal: AbortSignal): Promise<void> {
    const { admit, handle } = this.#options;
    const first = this.#entries.get(key);
    // Awaited also without a limit, so that nothing runs in the stack of who pushes.
    await (first && admit?.(first.task, AbortSignal.any([signal, end.signal])));
    const entry = this.#entries.get(key);
    // It may have been dropped meanwhile, and another task of the key may be ready.
    if (entry?.state !== 'admitting' || entry.end !== end) return;
    const { task } = entry;
    if (signal.aborted) return this.#makeReady(key, task, 'live');
    this.#entries.set(key, { state: 'running', task, sinceMs: Date.now() });
    const verdict = await handle(task, signal);
    const ended = this.#entries.get(key);
    if (ended?.state === 'running') this.#settle(key, ended, signal.aborted ? keptWhere(verdict) : verdict);
  }

  #settle(key: string, { task, next }: Extract<Entry<T>, { readonly state: 'running' }>, verdict: Verdict<T>): void {
    const { merge, isBulk } = this.#options;
    if (verdict.type === 'done') return this.#leave(key, next);
    const left = verdict.type === 'again' ? verdict.as : task;
    const merged = next === undefined ? left : merge(left, next);
    if (next !== undefined) this.#count(-1);
    const isLive = next !== undefined && !isBulk(next);
    if (verdict.type === 'keep' || isLive) return this.#makeReady(key, merged, isBulk(merged) ? 'bulk' : 'live');
    const untilMs = Date.now() + verdict.delayMs;
    this.#entries.set(key, { state: 'delayed', task: merged, untilMs });
    this.#delays.set(key, untilMs);
  }

  /** The task of a key is done, and the next one is ready, if there is one. */
  #leave(key: string, next: T | undefined): void {
    if (next === undefined) this.#entries.delete(key);
    else this.#makeReady(key, next, this.#options.isBulk(next) ? 'bulk' : 'live');
    this.#count(-1);
  }

  #count(change: number): void {
    this.#length += change;
    this.#options.onLength?.(this.#length);
  }

  #ready(): readonly T[] {
    const entries = this.#lanes.keys().map((key) => this.#entries.get(key));
    return entries.flatMap((entry) => (entry === undefined ? [] : [entry.task]));
  }

  #nexts(): readonly T[] {
    return [...this.#entries.values()].flatMap((entry) =>
      entry.state === 'running' && entry.next !== undefined ? [entry.next] : [],
    );
  }
}

/** Work that the shutdown cut short has not failed: its task stays as it is. */
function keptWhere<T>(verdict: Verdict<T>): Verdict<T> {
  return verdict.type === 'again' ? { type: 'keep' } : verdict;
}
