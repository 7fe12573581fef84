import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { limitRun } from '../../src/runner/run-limits.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function limit(timeoutMs: number | undefined) {
  const controller = new AbortController();
  const onEnd = vi.fn<() => void>();
  const onKill = vi.fn<() => void>();
  const limits = limitRun({ timeoutMs, graceMs: () => 50, signal: controller.signal, onEnd, onKill });
  return { controller, onEnd, onKill, limits };
}

describe('limitRun', () => {
  it('asks the run to end when its time is over, and kills it after the grace period', () => {
    const { onEnd, onKill, limits } = limit(100);

    vi.advanceTimersByTime(149);
    expect(onEnd).toHaveBeenCalledTimes(1);
    expect(onKill).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);

    expect(onKill).toHaveBeenCalledTimes(1);
    expect(limits.isTimedOut()).toBe(true);
  });

  it('ends the run when the signal aborts, which is not a time-out', () => {
    const { controller, onEnd, onKill, limits } = limit(undefined);

    controller.abort();
    vi.advanceTimersByTime(50);

    expect(onEnd).toHaveBeenCalledTimes(1);
    expect(onKill).toHaveBeenCalledTimes(1);
    expect(limits.isTimedOut()).toBe(false);
  });

  it('ends the run at once when the signal has aborted before', () => {
    const onEnd = vi.fn<() => void>();

    limitRun({ timeoutMs: 1, graceMs: () => 1, signal: AbortSignal.abort(), onEnd, onKill: () => {} }).clear();

    expect(onEnd).toHaveBeenCalledTimes(1);
  });

  it('leaves nothing behind when the run has ended', () => {
    const { controller, onEnd, onKill, limits } = limit(100);

    limits.clear();
    controller.abort();
    vi.advanceTimersByTime(1000);

    expect(onEnd).not.toHaveBeenCalled();
    expect(onKill).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([undefined, 2 ** 31])('sets no time limit of %s ms', (timeoutMs) => {
    const { onEnd } = limit(timeoutMs);

    vi.advanceTimersByTime(1_000_000);

    expect(onEnd).not.toHaveBeenCalled();
  });
});
