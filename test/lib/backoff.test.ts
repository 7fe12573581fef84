import { describe, expect, it } from 'vitest';
import { exponentialBackoff } from '../../src/lib/backoff.ts';

describe('an exponential series', () => {
  it.each([
    { title: 'doubles up to its cap', options: { initialMs: 10, maxMs: 50 }, delays: [10, 20, 40, 50, 50] },
    {
      title: 'grows by its factor',
      options: { initialMs: 1, maxMs: 1000, factor: 5 },
      delays: [1, 5, 25, 125, 625, 1000],
    },
    {
      title: 'is stretched by its jitter',
      options: { initialMs: 10, maxMs: 20, jitter: 0.5, random: () => 0.5 },
      delays: [12.5, 25, 25],
    },
    { title: 'never exceeds its cap', options: { initialMs: 100, maxMs: 50 }, delays: [50, 50] },
  ])('$title', ({ options, delays }) => {
    const backoff = exponentialBackoff(options);

    expect(delays.map(() => backoff.next())).toEqual(delays);
  });

  it('starts again after a reset', () => {
    const backoff = exponentialBackoff({ initialMs: 10, maxMs: 50 });
    backoff.next();
    backoff.next();

    backoff.reset();

    expect(backoff.next()).toBe(10);
  });
});
