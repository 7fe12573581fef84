import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { hedged, type Attempt } from '../../src/lib/hedge.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const never = new AbortController().signal;

/** Runs attempts with the times used for opening connections; records when attempts began, and how many ran at once. */
function tryWith(act: (nowMs: number, signal: AbortSignal) => Promise<string>, signal = never) {
  const startedAtMs: number[] = [];
  const discarded: string[] = [];
  const startMs = Date.now();
  let running = 0;
  let most = 0;
  const attempt: Attempt<string> = async (end) => {
    const nowMs = Date.now() - startMs;
    startedAtMs.push(nowMs);
    running += 1;
    most = Math.max(most, running);
    end.addEventListener('abort', () => (running -= 1), { once: true });
    return act(nowMs, end);
  };
  const outcome = hedged(attempt, {
    afterMs: 2000,
    limitMs: 10_000,
    late: () => new Error('too late'),
    discard: (value) => discarded.push(value),
    signal,
  }).catch((error: unknown) => String(error));
  return { outcome, startedAtMs, discarded, most: () => most };
}

const silent = async (signal: AbortSignal): Promise<string> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('ended')), { once: true });
  });

describe('hedged attempts', () => {
  it('are one where it succeeds in less than 2 s', async () => {
    const { outcome, startedAtMs } = tryWith(
      async () => new Promise((resolve) => setTimeout(() => resolve('open'), 1999)),
    );

    await vi.advanceTimersByTimeAsync(1999);

    expect([await outcome, startedAtMs]).toEqual(['open', [0]]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('begin every 2 s while the others are silent, at most three at once, and end together after 10 s', async () => {
    const { outcome, startedAtMs, most } = tryWith(async (_nowMs, signal) => silent(signal));

    await vi.advanceTimersByTimeAsync(10_000);

    expect(await outcome).toContain('ended');
    expect(startedAtMs).toEqual([0, 2000, 4000, 6000, 8000]);
    expect(most()).toBe(3);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('succeed within 2 s of the end of a silence, whenever that is', async () => {
    for (let endMs = 100; endMs < 8000; endMs += 700) {
      const { outcome } = tryWith(async (nowMs, signal) => (nowMs < endMs ? silent(signal) : 'open'));

      await vi.advanceTimersByTimeAsync(endMs);
      await vi.advanceTimersByTimeAsync(2000);

      expect(await outcome).toBe('open');
    }
  });

  it('wait for a peer that is slow with the first of them', async () => {
    const { outcome } = tryWith(
      async (nowMs, signal) =>
        new Promise((resolve, reject) => {
          setTimeout(() => resolve(`begun at ${nowMs}`), 9000);
          signal.addEventListener('abort', () => reject(new Error('ended')), { once: true });
        }),
    );

    await vi.advanceTimersByTimeAsync(9000);

    expect(await outcome).toBe('begun at 0');
  });

  it('end in time although none of them heeds its signal', async () => {
    const { outcome } = tryWith(async () => new Promise(() => {}));

    await vi.advanceTimersByTimeAsync(10_000);

    expect(await outcome).toBe('Error: too late');
  });

  it('fail at once with the failure of the only one, and go on where another one runs', async () => {
    const refused = tryWith(async () => {
      throw new Error('refused');
    });
    expect(await refused.outcome).toBe('Error: refused');

    const { outcome, startedAtMs } = tryWith(async (nowMs, signal) => {
      if (nowMs === 0) return silent(signal);
      if (nowMs === 2000) throw new Error('refused');
      return 'open';
    });
    await vi.advanceTimersByTimeAsync(4000);

    expect([await outcome, startedAtMs]).toEqual(['open', [0, 2000, 4000]]);
  });

  it('discard a value that arrives after the end', async () => {
    const { outcome, discarded } = tryWith(
      async (nowMs) => new Promise((resolve) => setTimeout(() => resolve(String(nowMs)), nowMs === 0 ? 5000 : 500)),
    );

    await vi.advanceTimersByTimeAsync(10_000);

    expect([await outcome, discarded]).toEqual(['2000', ['0']]);
  });
});
