import { afterEach, describe, expect, it, vi } from 'vitest';

import { eventually, within } from '../../src/lib/deadline.ts';

afterEach(() => {
  vi.useRealTimers();
});

const late = (): never => {
  throw new Error('late');
};

describe('eventually', () => {
  it('ends at its limit, to the millisecond, although nothing ever happens', async () => {
    vi.useFakeTimers();
    let outcome: unknown;
    eventually<void>({ limitMs: 5000, late }, () => undefined).catch((error: unknown) => (outcome = error));

    await vi.advanceTimersByTimeAsync(4999);
    const before = outcome;
    await vi.advanceTimersByTimeAsync(1);

    expect([before, String(outcome)]).toEqual([undefined, 'Error: late']);
  });

  it('ends with its signal, and stops listening in every case', async () => {
    vi.useFakeTimers();
    const stop = vi.fn<() => void>();
    const controller = new AbortController();
    const { signal } = controller;
    const waiting = eventually<void>({ limitMs: 5000, late, signal }, () => stop);
    const rejected = expect(waiting).rejects.toThrow('enough');
    controller.abort(new Error('enough'));
    await rejected;
    await eventually<number>({ limitMs: 5000, late: () => 1 }, ({ resolve: settle }) => {
      settle(2);
      return stop;
    });

    expect(stop).toHaveBeenCalledTimes(2);
    expect(vi.getTimerCount()).toBe(0);
    await expect(eventually<void>({ limitMs: 5000, late, signal }, () => stop)).rejects.toThrow('enough');
    expect(stop).toHaveBeenCalledTimes(2);
  });

  it('waits for as long as a timer can where the limit is longer', async () => {
    vi.useFakeTimers();
    let isOver = false;
    void eventually<void>({ limitMs: 2 ** 40, late: () => {} }, () => undefined).then(() => (isOver = true));

    await vi.advanceTimersByTimeAsync(60_000);

    expect(isOver).toBe(false);
  });
});

it('within leaves a promise that is late alone, also when it fails later', async () => {
  vi.useFakeTimers();
  const { promise, reject } = Promise.withResolvers<string>();
  const waiting = within(promise, { limitMs: 100, late: () => 'given up' });
  await vi.advanceTimersByTimeAsync(100);

  reject(new Error('later'));

  expect(await waiting).toBe('given up');
});
