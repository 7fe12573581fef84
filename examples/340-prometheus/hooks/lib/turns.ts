/** Does some work when others are not too many at it; rejects without it when the signal aborts before. */
export type InTurn = <T>(signal: AbortSignal, work: () => Promise<T>) => Promise<T>;

/** Returns a queue that does `atOnce` pieces of work at a time. */
export function turns(atOnce: number): InTurn {
  let running = 0;
  const waiting = new Set<() => void>();
  return async (signal, work) => {
    if (running < atOnce) running += 1;
    else await turn(waiting, signal);
    try {
      return await work();
    } finally {
      const [next] = waiting;
      // The place is handed on.
      if (next === undefined) running -= 1;
      else next();
    }
  };
}

async function turn(waiting: Set<() => void>, signal: AbortSignal): Promise<void> {
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
