import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DueTimes } from '../../src/queue/due-times.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});

afterEach(() => {
  vi.useRealTimers();
});

describe('keys that are due', () => {
  it('come each at its latest time, whatever was set and deleted before', async () => {
    const change = fc.record({ key: fc.nat(9), atMs: fc.option(fc.integer({ min: 1, max: 50 }), { nil: undefined }) });
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 100 }), async (changes) => {
        const { times, due, stop } = rig();
        const startMs = Date.now();
        const expected = new Map<number, number>();
        for (const { key, atMs } of changes) {
          if (atMs === undefined) {
            expect(times.delete(key)).toBe(expected.delete(key));
          } else {
            times.set(key, startMs + atMs);
            expected.set(key, atMs);
          }
        }
        expect(times.size).toBe(expected.size);

        await vi.advanceTimersByTimeAsync(60);

        expect(due).toHaveLength(expected.size);
        expect(new Map(due.map(({ key, atMs }) => [key, atMs - startMs]))).toEqual(expected);
        await stop();
      }),
    );
  });

  it('share one timer, and need none while there are none', async () => {
    const { times, stop } = rig();
    await vi.advanceTimersByTimeAsync(0);
    expect(vi.getTimerCount()).toBe(0);

    for (let key = 0; key < 1000; key += 1) times.set(key, 1000 - key);
    await vi.advanceTimersByTimeAsync(0);

    expect(vi.getTimerCount()).toBe(1);
    await stop();
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([
    ['back by a day', -86_400_000],
    ['ahead by a day', 86_400_000],
  ])('come after the time that has passed, also where the wall clock is set %s', async (_, jumpMs) => {
    vi.setSystemTime(10 * 86_400_000);
    const { times, due, stop } = rig();
    times.set(1, Date.now() + 1000);
    await vi.advanceTimersByTimeAsync(500);
    vi.setSystemTime(Date.now() + jumpMs);
    // Another key makes it look at its times.
    times.set(2, Date.now() + 100);
    await vi.advanceTimersByTimeAsync(110);
    expect(due.map(({ key }) => key)).toEqual([2]);

    await vi.advanceTimersByTimeAsync(400);
    expect(due.map(({ key }) => key)).toEqual([2, 1]);
    await stop();
  });
});

function rig() {
  const times = new DueTimes<number>();
  const due: { readonly key: number; readonly atMs: number }[] = [];
  const controller = new AbortController();
  const running = times.run((key) => void due.push({ key, atMs: Date.now() }), controller.signal);
  return {
    times,
    due,
    stop: async () => {
      controller.abort();
      await running;
    },
  };
}
