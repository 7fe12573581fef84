import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { tokenBucket } from '../../src/kube/rate-limit.ts';

const never = new AbortController().signal;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('tokenBucket', () => {
  it('lets a burst pass at once and the rest one by one, in order', async () => {
    const limit = tokenBucket({ perSecond: 10, burst: 3 });
    const passed: string[] = [];
    const startedAt = performance.now();
    const all = Promise.all(
      [0, 1, 2, 3, 4, 5].map(async (number) => {
        await limit(never);
        passed.push(`${number} at ${Math.round(performance.now() - startedAt)}`);
      }),
    );

    await vi.runAllTimersAsync();
    await all;

    expect(passed).toEqual(['0 at 0', '1 at 0', '2 at 0', '3 at 100', '4 at 200', '5 at 300']);
  });

  it('saves no more than the burst during a pause', async () => {
    const limit = tokenBucket({ perSecond: 10, burst: 1 });
    await limit(never);
    await vi.advanceTimersByTimeAsync(60_000);
    const passed: number[] = [];
    for (const number of [1, 2]) void limit(never).then(() => passed.push(number));

    await vi.advanceTimersByTimeAsync(50);

    expect(passed).toEqual([1]);
  });

  it('stops waiting when it is aborted', async () => {
    const limit = tokenBucket({ perSecond: 1, burst: 1 });
    await limit(never);
    const controller = new AbortController();
    const waiting = limit(controller.signal);

    controller.abort(new Error('enough'));

    await expect(waiting).rejects.toThrow('enough');
  });
});
