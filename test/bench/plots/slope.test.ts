import { expect, it } from 'vitest';
import { slopeOf } from '../../../bench/plots/slope.ts';

it('a straight line is found as it is', () => {
  const points = [1, 10, 100, 1000].map((x) => ({ x, y: 50 + 0.25 * x }));

  const { base, each } = slopeOf(points);

  expect(base).toBeCloseTo(50, 6);
  expect(each).toBeCloseTo(0.25, 6);
});

it('a large point does not hide what small ones say', () => {
  const points = [
    { x: 1, y: 50 },
    { x: 2, y: 50 },
    { x: 10_000, y: 1000 },
    { x: 20_000, y: 2200 },
  ];

  expect(slopeOf(points).base).toBeCloseTo(50, 0);
});
