import { expect, it } from 'vitest';
import { HeapAllocation } from '../../src/lib/heap-allocation.ts';

const MEGABYTE = 1e6;

it('counts what is allocated and given back between two looks', () => {
  using allocation = new HeapAllocation();
  const before = process.memoryUsage().heapUsed;

  let last: readonly number[] = [];
  // Eight bytes or more an element, a hundred megabytes or more in all.
  for (let index = 0; index < 1000; index++) last = Array.from({ length: 12_500 }, (_, at) => at + index + 0.5);

  expect(last).toHaveLength(12_500);
  expect(allocation.take()).toBeGreaterThan(100 * MEGABYTE);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(100 * MEGABYTE);
});

it('starts from zero after each call', () => {
  using allocation = new HeapAllocation();
  allocation.take();

  expect(allocation.take()).toBeLessThan(MEGABYTE);
});
