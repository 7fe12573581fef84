/** A long-lived part of the program; it returns after `signal` aborts. */
export type Part = (signal: AbortSignal) => Promise<void>;

/**
 * Runs all parts concurrently until `signal` aborts and all have ended. When one fails, the others are aborted, and the
 * error is rethrown once they have ended.
 */
export async function runAll(parts: readonly Part[], signal: AbortSignal): Promise<void> {
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  const results = await Promise.allSettled(
    parts.map(async (part) => {
      try {
        await part(either);
      } catch (error) {
        failed.abort();
        throw error;
      }
    }),
  );
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}
