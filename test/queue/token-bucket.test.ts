import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TokenBucket } from '../../src/queue/token-bucket.ts';

const never = new AbortController().signal;

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});

afterEach(() => {
  vi.useRealTimers();
});

describe('a rate limit', () => {
  it.each([
    { title: 'one at a time', intervalMs: 5000, burst: 1, times: [0, 5000, 10_000, 15_000] },
    { title: 'a burst, then one each interval', intervalMs: 1000, burst: 3, times: [0, 0, 0, 1000, 2000] },
    { title: 'a burst of 0 counts as 1', intervalMs: 1000, burst: 0, times: [0, 1000] },
    { title: 'no limit without an interval', intervalMs: 0, burst: 1, times: [0, 0, 0, 0] },
  ])('lets through: $title', async ({ intervalMs, burst, times }) => {
    const bucket = new TokenBucket({ intervalMs, burst });

    const passed = await passTimes(bucket, times.length);

    expect(passed).toEqual(times);
  });

  it('never saves up more than its burst', async () => {
    const bucket = new TokenBucket({ intervalMs: 1000, burst: 2 });
    await vi.advanceTimersByTimeAsync(60_000);

    const passed = await passTimes(bucket, 4);

    expect(passed).toEqual([60_000, 60_000, 61_000, 62_000]);
  });

  it('serves those who wait at the same time one interval after another', async () => {
    const bucket = new TokenBucket({ intervalMs: 1000, burst: 1 });
    const passed: number[] = [];
    const waiting = [1, 2, 3].map(async () => {
      await bucket.wait(never);
      passed.push(Date.now());
    });

    await vi.advanceTimersByTimeAsync(2000);
    await Promise.all(waiting);

    expect(passed).toEqual([0, 1000, 2000]);
  });

  it('stops waiting at abort', async () => {
    const bucket = new TokenBucket({ intervalMs: 1000, burst: 1 });
    const controller = new AbortController();
    await bucket.wait(controller.signal);
    const waiting = bucket.wait(controller.signal);

    controller.abort();
    await waiting;

    expect(Date.now()).toBe(0);
  });

  it('takes no token for a call that was aborted', async () => {
    const bucket = new TokenBucket({ intervalMs: 1000, burst: 1 });
    await bucket.wait(never);
    const controller = new AbortController();
    const given = bucket.wait(controller.signal);
    controller.abort();
    await given;

    const next = bucket.wait(never);
    await vi.advanceTimersByTimeAsync(1000);
    await next;

    expect(Date.now()).toBe(1000);
  });
});

async function passTimes(bucket: TokenBucket, count: number): Promise<readonly number[]> {
  const passed: number[] = [];
  const walk = async (): Promise<void> => {
    while (passed.length < count) {
      await bucket.wait(never);
      passed.push(Date.now());
    }
  };
  const walking = walk();
  await vi.runAllTimersAsync();
  await walking;
  return passed;
}
