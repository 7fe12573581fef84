import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { shareFence } from '../../src/operator/fences.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('of two fences the first to fall counts, until it is taken away', () => {
  const said: (number | undefined)[] = [];
  const share = shareFence((leftMs) => said.push(leftMs));
  const [one, other] = [share(), share()];

  one(25_000);
  other(14_500);
  vi.advanceTimersByTime(2000);
  one(25_000);
  other();
  one();
  other();

  expect(said).toEqual([25_000, 14_500, 12_500, 25_000, undefined, undefined]);
});

it('a fence that should have fallen falls now, whatever another one says', () => {
  const said: (number | undefined)[] = [];
  const share = shareFence((leftMs) => said.push(leftMs));
  const [one, other] = [share(), share()];

  one(100);
  vi.advanceTimersByTime(200);
  other(5000);

  expect(said).toEqual([100, 0]);
});
