import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { latch } from '../../src/lib/latch.ts';
import { awaitClosed } from '../../src/runner/held-output.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A wait for output that `close` closes. */
function hold(limitMs: number) {
  const output = latch();
  const controller = new AbortController();
  const notes: string[] = [];
  const terminate = vi.fn<() => void>();
  const onLook = vi.fn<() => void>();
  const done = awaitClosed({
    closed: output.promise,
    limitMs,
    graceMs: () => 50,
    signal: controller.signal,
    terminate,
    holders: () => 'process 7 (sleep)',
    note: (line) => notes.push(line),
    onLook,
  });
  return { done, close: output.resolve, end: () => controller.abort(), notes, terminate, onLook };
}

describe('awaitClosed', () => {
  it('ends when all have closed the output, and says nothing of a short wait', async () => {
    const { done, close, notes, terminate } = hold(10_000);

    await vi.advanceTimersByTimeAsync(999);
    close();

    expect(await done).toBeUndefined();
    expect(notes).toEqual([]);
    expect(terminate).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('says once, after 1 s, whom it waits for, and looks at the group every second', async () => {
    const { done, close, notes, onLook } = hold(90_000);

    await vi.advanceTimersByTimeAsync(5000);
    close();
    await done;

    expect(notes).toEqual([
      'hooklet: the hook has exited, and is waited for until its output is closed, at most 1m30s from its end: process 7 (sleep) holds it',
    ]);
    expect(onLook).toHaveBeenCalledTimes(5);
  });

  it('asks the group to end at the limit, and is over after the grace period', async () => {
    const { done, terminate } = hold(10_000);

    await vi.advanceTimersByTimeAsync(10_049);
    expect(terminate).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBeGreaterThan(0);
    await vi.advanceTimersByTimeAsync(1);

    expect(await done).toEqual({ heldBy: 'process 7 (sleep)', isLate: true });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is cut short too where the output is closed after the limit, within the grace period', async () => {
    const { done, close } = hold(10_000);

    await vi.advanceTimersByTimeAsync(10_020);
    close();

    expect(await done).toEqual({ heldBy: 'process 7 (sleep)', isLate: true });
  });

  it('is cut short by the signal, which is not the limit', async () => {
    const { done, end } = hold(10_000);

    end();
    await vi.advanceTimersByTimeAsync(50);

    expect(await done).toEqual({ heldBy: 'process 7 (sleep)', isLate: false });
  });
});
