import { sleep } from '../../../src/lib/sleep.ts';

const PAUSE_MS = 250;
const NEVER = new AbortController().signal;

/** Waits until `check` no longer throws; after the time limit it throws what the last check did. */
export async function eventually(check: () => void | Promise<void>, timeoutMs = 150_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    try {
      await check();
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
    await sleep(PAUSE_MS, NEVER);
  }
}
