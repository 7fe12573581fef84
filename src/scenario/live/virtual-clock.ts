/*
 * The clock of a world. It replaces `Date`, `performance.now`, `setTimeout` and `clearTimeout` of the process, and moves
 * only when it is told to.
 *
 * What keeps real time: sockets, files and other processes, of course; `outer-time.ts`, by which the operator supervises
 * processes and measures its own work, so that no leap of this clock makes it believe that another process is dead; and
 * `setInterval`, which only housekeeping uses (folders are touched, bookmarks are sent). So nothing but the work of
 * bindings waits in this clock, and a day without work has no instants to stop at.
 */

import { keepOuterTime } from '../../lib/outer-time.ts';

type Act = () => void;

/** Whatever `setTimeout` returns here. */
export class VirtualTimer {
  readonly #clock: VirtualClock;
  readonly #delayMs: number;
  readonly act: Act;
  atMs: number;
  /** Of two timers for the same time the one that was set first comes first. */
  order = 0;

  constructor(clock: VirtualClock, act: Act, delayMs: number) {
    this.#clock = clock;
    this.#delayMs = delayMs;
    this.act = act;
    this.atMs = clock.nowMs + delayMs;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }

  /** Starts its delay again. */
  refresh(): this {
    this.atMs = this.#clock.nowMs + this.#delayMs;
    this.#clock.add(this);
    return this;
  }

  close(): this {
    this.#clock.remove(this);
    return this;
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

const MAX_DELAY_MS = 2 ** 31 - 1;

/** A clock that stands still until it is moved. */
export class VirtualClock {
  nowMs: number;
  /** Called when it is moved, before what is due. */
  onMove: (nowMs: number) => void = () => {};
  #startMs: number;
  #beforeMs = 0;
  readonly #timers = new Set<VirtualTimer>();
  #orders = 0;

  constructor(startMs: number) {
    this.nowMs = startMs;
    this.#startMs = startMs;
  }

  /** Milliseconds that the clock has moved, as `performance.now` counts them. */
  get elapsedMs(): number {
    return this.#beforeMs + this.nowMs - this.#startMs;
  }

  /** When the next timer is due; undefined where none is set. */
  get nextDueMs(): number | undefined {
    let next: number | undefined;
    for (const { atMs } of this.#timers) if (next === undefined || atMs < next) next = atMs;
    return next;
  }

  get size(): number {
    return this.#timers.size;
  }

  setTimeout(act: Act, delayMs: number): VirtualTimer {
    const timer = new VirtualTimer(this, act, delayMs >= 1 && delayMs <= MAX_DELAY_MS ? Math.trunc(delayMs) : 1);
    this.add(timer);
    return timer;
  }

  add(timer: VirtualTimer): void {
    this.#orders += 1;
    timer.order = this.#orders;
    this.#timers.add(timer);
  }

  remove(timer: VirtualTimer): void {
    this.#timers.delete(timer);
  }

  /** Moves to a time, which must not be past, and calls what is due then, in order. */
  moveTo(timeMs: number): void {
    this.nowMs = Math.max(this.nowMs, timeMs);
    this.onMove(this.nowMs);
    const due = [...this.#timers].filter(({ atMs }) => atMs <= this.nowMs);
    for (const timer of due.toSorted((a, b) => a.atMs - b.atMs || a.order - b.order)) {
      // One that is due may clear another.
      if (this.#timers.delete(timer)) timer.act();
    }
  }

  /** Forgets all timers, and goes to another time: nothing of an earlier world must be left. */
  restart(startMs: number): void {
    this.#timers.clear();
    this.onMove = () => {};
    // A monotonic clock goes on where it was.
    this.#beforeMs = this.elapsedMs;
    this.#startMs = startMs;
    this.nowMs = startMs;
  }
}

/** Makes the clock that of this process, for good. */
export function installClock(clock: VirtualClock): void {
  keepOuterTime();
  const { setTimeout, clearTimeout } = globalThis;
  const now = (): number => clock.nowMs;
  const set = (act: (...args: unknown[]) => void, delayMs = 0, ...args: unknown[]): VirtualTimer =>
    clock.setTimeout(() => act(...args), delayMs);
  const clear = (timer: unknown): void => {
    if (timer instanceof VirtualTimer) timer.close();
    else if (isRealTimer(timer)) clearTimeout(timer);
  };
  Object.assign(globalThis, { setTimeout: Object.assign(set, setTimeout), clearTimeout: clear });
  Object.defineProperty(performance, 'now', { value: () => clock.elapsedMs, configurable: true });
  Object.assign(globalThis, { Date: virtualDate(now) });
}

function isRealTimer(timer: unknown): timer is NodeJS.Timeout {
  return typeof timer === 'object' && timer !== null && 'hasRef' in timer;
}

function virtualDate(now: () => number): DateConstructor {
  const Real = Date;
  return new Proxy(Real, {
    construct: (_, args: readonly unknown[], target) =>
      Reflect.construct(Real, args.length === 0 ? [now()] : args, target),
    apply: () => new Real(now()).toString(),
    get: (target, key, receiver) => (key === 'now' ? now : Reflect.get(target, key, receiver)),
  });
}
