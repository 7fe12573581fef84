import { expect, it } from 'vitest';
import { retryDelayMs, soonDelayMs } from '../../src/run/retry-delay.ts';

it.each([
  { random: 0, delays: [5000, 6000, 7000, 9000, 13_000, 21_000, 32_000, 32_000] },
  { random: 0.57, delays: [5000, 6500, 7500, 9500, 13_500, 21_500, 32_000, 32_000] },
  { random: 0.9999, delays: [5000, 6900, 7900, 9900, 13_900, 21_900, 32_000, 32_000] },
])('the delay grows from 5 s to 32 s in tenths of a second (random $random)', ({ random, delays }) => {
  expect(delays.map((_, index) => retryDelayMs(index + 1, () => random))).toEqual(delays);
});

it('after a failure of the environment the delay grows from 0.5 s to 2 s', () => {
  expect([1, 2, 3, 4, 1000, 10_000].map(soonDelayMs)).toEqual([500, 1000, 2000, 2000, 2000, 2000]);
});
