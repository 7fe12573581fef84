/**
 * Waits for events of a client or of a server, for at most `limitMs`: the sandbox waits for nothing without an end. What
 * `listen` returns stops listening.
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
