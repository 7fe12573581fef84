import { beforeEach, describe, expect, it, vi } from 'vitest';
import { within, withinVirtual } from './support/within.ts';

/** Passes once so many milliseconds are over; each look takes `lookMs`. */
function passesAfter(readyMs: number, lookMs = 0): () => Promise<void> {
  const beganAt = performance.now();
  return async () => {
    if (lookMs > 0) await new Promise((resolve) => setTimeout(resolve, lookMs));
    expect(performance.now() - beganAt).toBeGreaterThanOrEqual(readyMs);
  };
}

async function outcomeOf(waiting: Promise<void>): Promise<string> {
  const outcome = waiting.then(
    () => 'held',
    (error: unknown) => String(error),
  );
  await vi.advanceTimersByTimeAsync(10_000);
  return outcome;
}

describe('the limit of a promise', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    return () => vi.useRealTimers();
  });

  it.each([0, 490, 500])('of 500 ms is held by what takes %i ms', async (readyMs) => {
    expect(await outcomeOf(within(500, passesAfter(readyMs)))).toBe('held');
  });

  it('is missed by what takes longer, and the failure says how long', async () => {
    expect(await outcomeOf(within(500, passesAfter(505)))).toBe('Error: it took 510 ms, and 500 ms are promised');
  });

  it('counts the time of looks that are slow', async () => {
    expect(await outcomeOf(within(500, passesAfter(400, 300)))).toContain('it took 610 ms');
  });

  it('is missed by what never comes, with what is wrong', async () => {
    expect(await outcomeOf(within(500, () => expect(1).toBe(2)))).toContain('expected 1 to be 2');
  });
});

describe('the same under a driven clock', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    return () => vi.useRealTimers();
  });

  it('is held to the millisecond', async () => {
    await withinVirtual(505, passesAfter(505));
    await expect(withinVirtual(505, passesAfter(506))).rejects.toThrow('to be greater than or equal to 506');
  });
});
