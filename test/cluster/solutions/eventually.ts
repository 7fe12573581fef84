import { sleep } from '../../../src/lib/sleep.ts';

const PAUSE_MS = 250;
// A limit for waits that take a minute at most here, with room for slow machines.
const LIMIT_MS = 400_000;
const NEVER = new AbortController().signal;

/** Waits until `check` does not throw, and returns its result; after the limit it throws the last error of `check`. */
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
