/*
 * Time as it passes outside this process. What supervises another process or measures work of this one goes by it, so
 * that it keeps working where the clock of the globals is driven, as in a world of `hooklet test`.
 */

interface OuterTimers {
  readonly setTimeout: (act: () => void, delayMs: number) => NodeJS.Timeout;
  readonly clearTimeout: (timer: NodeJS.Timeout | undefined) => void;
  readonly now: () => number;
}

// Before `keepOuterTime` the globals are looked up at each call, so a unit test that replaces them drives this time too.
let timers: OuterTimers = {
  setTimeout: (act, delayMs) => globalThis.setTimeout(act, delayMs),
  clearTimeout: (timer) => globalThis.clearTimeout(timer),
  now: () => performance.now(),
};

/** As the global `setTimeout`, but in outer time. */
export function setOuterTimeout(act: () => void, delayMs: number): NodeJS.Timeout {
  return timers.setTimeout(act, delayMs);
}

/** Ends a timer of `setOuterTimeout`. */
export function clearOuterTimeout(timer: NodeJS.Timeout | undefined): void {
  timers.clearTimeout(timer);
}

/** Milliseconds of outer time since some moment, so that only differences mean anything. */
export function outerNow(): number {
  return timers.now();
}

/** Keeps the present globals for outer time; called before they are replaced by those of another clock. */
export function keepOuterTime(): void {
  const { setTimeout, clearTimeout } = globalThis;
  timers = { setTimeout, clearTimeout, now: performance.now.bind(performance) };
}
