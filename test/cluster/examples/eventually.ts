import { sleep } from '../../../src/lib/sleep.ts';

const PAUSE_MS = 250;
const NEVER = new AbortController().signal;

/** Waits until `check` no longer throws, and returns what it does; after the time limit it throws what that last did. */
export async function eventually<T>(check: () => T | Promise<T>, timeoutMs = 150_000): Promise<T> {
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
