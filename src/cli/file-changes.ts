import { watch } from 'node:fs/promises';
import { sleep } from '../lib/sleep.ts';

// Editors write a file in several steps; what comes within this time is one change.
const QUIET_MS = 60;

/** Yields once for every burst of changes below `dir`, until `signal` aborts. */
export async function* fileChanges(dir: string, signal: AbortSignal): AsyncGenerator<void, void, void> {
  const changes = watch(dir, { recursive: true, signal });
  let pending = Promise.withResolvers<void>();
  const pump = (async () => {
    try {
      for await (const _ of changes) pending.resolve();
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      pending.resolve();
    }
  })();
  while (!signal.aborted) {
    await pending.promise;
    await sleep(QUIET_MS, signal);
    if (signal.aborted) break;
    pending = Promise.withResolvers();
    yield;
  }
  await pump;
}
