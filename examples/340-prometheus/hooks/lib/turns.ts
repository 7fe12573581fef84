/** How many promtools run at a time: requests of the webhook come together, and each may need much memory. */
const AT_ONCE = 2;

let running = 0;
const waiting = new Set<() => void>();

/** Does some work when fewer than two others are at it; rejects without it when the signal aborts before. */
export async function inTurn<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  if (running < AT_ONCE) running += 1;
  else await turn(signal);
  try {
    return await work();
  } finally {
    const [next] = waiting;
    // The place is handed on.
    if (next === undefined) running -= 1;
    else next();
  }
}

async function turn(signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const begin = (): void => {
    waiting.delete(begin);
    resolve();
  };
  const leave = (): void => {
    if (waiting.delete(begin)) reject(signal.reason instanceof Error ? signal.reason : new Error('no turn'));
  };
  waiting.add(begin);
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  await promise.finally(() => signal.removeEventListener('abort', leave));
}
