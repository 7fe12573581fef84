/** A long-lived part: returns when `signal` aborts. */
export type Part = (signal: AbortSignal) => Promise<void>;

/** Runs parts side by side until `signal` aborts and all have ended; when one fails, the others are ended and it rejects. */
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
