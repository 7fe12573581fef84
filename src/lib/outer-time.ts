/*
 * Time as it passes outside this process. What supervises another process or measures work of this one goes by it, so
 * that it keeps working where the clock of the globals is driven, as in a world of `hooklet test`.
 */

interface OuterTimers {
  readonly setTimeout: (act: () => void, delayMs: number) => NodeJS.Timeout;
  readonly clearTimeout: (timer: NodeJS.Timeout | undefined) => void;
  readonly now: () => number;
}

// Looked up at each call, until `keepOuterTime`: tests replace the globals too.
let timers: OuterTimers = {
  setTimeout: (act, delayMs) => globalThis.setTimeout(act, delayMs),
  clearTimeout: (timer) => globalThis.clearTimeout(timer),
  now: () => performance.now(),
};

/** As the global `setTimeout`, in time that nobody drives. */
export function setOuterTimeout(act: () => void, delayMs: number): NodeJS.Timeout {
  return timers.setTimeout(act, delayMs);
}

/** Ends a timer of `setOuterTimeout`. */
export function clearOuterTimeout(timer: NodeJS.Timeout | undefined): void {
  timers.clearTimeout(timer);
}

/** Milliseconds on a monotonic clock that nobody drives. */
export function outerNow(): number {
  return timers.now();
}

/** From now on the globals are those of another clock: the ones that are there now stay those of outer time. */
export function keepOuterTime(): void {
  const { setTimeout, clearTimeout } = globalThis;
  timers = { setTimeout, clearTimeout, now: performance.now.bind(performance) };
}
