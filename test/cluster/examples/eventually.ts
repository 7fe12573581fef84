import { sleep } from '../../../src/lib/sleep.ts';

const PAUSE_MS = 250;
// Of a wait for whatever takes a minute at most here, on a slow machine.
const LIMIT_MS = 400_000;
const NEVER = new AbortController().signal;

/** Waits until `check` no longer throws, and returns what it does; after the time limit it throws what that last did. */
export async function eventually<T>(check: () => T | Promise<T>, timeoutMs = LIMIT_MS): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
    await sleep(PAUSE_MS, NEVER);
  }
}
