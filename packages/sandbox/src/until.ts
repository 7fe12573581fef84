/**
 * Waits until `listen` calls `done` or `fail`, for at most `limitMs`: the sandbox never waits without a limit. The
 * function that `listen` returns is called at the end and must remove the listeners.
 */
export async function until(
  limitMs: number,
  listen: (done: () => void, fail: (error: Error) => void) => () => unknown,
) {
  let timer: NodeJS.Timeout | undefined;
  let stop: () => unknown = () => {};
  try {
    await new Promise<void>((resolve, reject) => {
      timer = setTimeout(resolve, limitMs);
      stop = listen(resolve, reject);
    });
  } finally {
    clearTimeout(timer);
    stop();
  }
}

/** A promise that this process settles itself. */
export function settling<Value>(): PromiseWithResolvers<Value> {
  return Promise.withResolvers();
}
