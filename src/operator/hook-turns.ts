import { exponentialBackoff } from '../lib/backoff.ts';
import { sleep } from '../lib/sleep.ts';

export interface HookTurnsOptions {
  /** Yields when something in the hooks folder may have changed; absent: never. */
  readonly changes: AsyncIterable<void> | undefined;
  /** Whether a hook did not load in time; asked after each turn. */
  readonly isLate: () => boolean;
}

const LATE = { initialMs: 5000, maxMs: 300_000 };

/**
 * Yields when hooks are to be loaded again, until `signal` aborts: at each change of the folder, and after it ever less
 * often while a hook is late. Ends when neither can be.
 */
export async function* hookTurns(
  { changes, isLate }: HookTurnsOptions,
  signal: AbortSignal,
): AsyncGenerator<void, void, void> {
  const changed = changes?.[Symbol.asyncIterator]();
  const backoff = exponentialBackoff(LATE);
  let next = nextOf(changed);
  for (;;) {
    const isWaiting = isLate();
    if (!isWaiting) backoff.reset();
    const turn = await turnOf(next, isWaiting ? backoff.next() : undefined, signal);
    if (turn === 'over') return;
    if (turn === 'changed') {
      // What it brought may be late for the first time.
      backoff.reset();
      next = nextOf(changed);
    }
    if (turn === 'closed') next = undefined;
    else yield;
  }
}

async function turnOf(
  next: Promise<IteratorResult<void>> | undefined,
  delayMs: number | undefined,
  signal: AbortSignal,
): Promise<'changed' | 'closed' | 'late' | 'over'> {
  if (signal.aborted || (next === undefined && delayMs === undefined)) return 'over';
  using pause = pauseOf(delayMs, signal);
  const first = await Promise.race([pause.over, ...(next === undefined ? [] : [next])]);
  if (signal.aborted) return 'over';
  if (first === undefined) return 'late';
  return first.done === true ? 'closed' : 'changed';
}

/** Asks for the next change. The empty handler only prevents an unhandled rejection; `turnOf` sees the error. */
function nextOf(changed: AsyncIterator<void> | undefined): Promise<IteratorResult<void>> | undefined {
  const next = changed?.next();
  next?.catch(() => {});
  return next;
}

interface Pause extends Disposable {
  readonly over: Promise<void>;
}

/** Without a time it lasts until `signal` aborts. */
function pauseOf(delayMs = Infinity, signal: AbortSignal): Pause {
  const end = new AbortController();
  return {
    over: sleep(delayMs, AbortSignal.any([signal, end.signal])),
    [Symbol.dispose]: () => end.abort(),
  };
}
