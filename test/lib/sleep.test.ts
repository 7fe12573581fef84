import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { sleep } from '../../src/lib/sleep.ts';

const DAY_MS = 86_400_000;

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});

afterEach(() => {
  vi.useRealTimers();
});

describe('a sleep', () => {
  it.each([0, 5, 30 * DAY_MS, 60 * DAY_MS])('takes %i ms', async (delayMs) => {
    const sleeping = sleep(delayMs, new AbortController().signal);

    await vi.runAllTimersAsync();
    await sleeping;

    expect(Date.now()).toBe(delayMs);
  });

  it('takes no time when the delay is negative', async () => {
    const sleeping = sleep(-5, new AbortController().signal);

    await vi.runAllTimersAsync();
    await sleeping;

    expect(Date.now()).toBe(0);
  });

  it('ends at abort and leaves no timer', async () => {
    const controller = new AbortController();
    const sleeping = sleep(60 * DAY_MS, controller.signal);

    controller.abort();
    await sleeping;

    expect(vi.getTimerCount()).toBe(0);
  });

  it('does not begin after an abort', async () => {
    await sleep(1000, AbortSignal.abort());

    expect(Date.now()).toBe(0);
  });
});
