import { describe, expect, it } from 'vitest';
import { retryDelay } from '../../src/queue/retry-delay.ts';

describe('the delay between attempts', () => {
  it.each([
    { random: 0, delays: [5000, 6000, 7000, 9000, 13_000, 21_000, 32_000, 32_000] },
    { random: 0.57, delays: [5000, 6500, 7500, 9500, 13_500, 21_500, 32_000, 32_000] },
    { random: 0.9999, delays: [5000, 6900, 7900, 9900, 13_900, 21_900, 32_000, 32_000] },
  ])('grows from 5 s to 32 s in tenths of a second (random $random)', ({ random, delays }) => {
    const delay = retryDelay(() => random);

    expect(delays.map(() => delay.next())).toEqual(delays);
  });

  it('starts again after a reset', () => {
    const delay = retryDelay(() => 0);
    delay.next();
    delay.next();

    delay.reset();

    expect(delay.next()).toBe(5000);
  });
});
