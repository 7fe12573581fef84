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
