/** Waits for `promise` or for `signal`, whichever is sooner; what `promise` does later is its own affair. */
export async function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  // Nobody may be left to hear of its failure.
  promise.catch(() => {});
  signal.throwIfAborted();
  let abort = (): void => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => {
      reject(signal.reason instanceof Error ? signal.reason : new Error('aborted', { cause: signal.reason }));
    };
    signal.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
