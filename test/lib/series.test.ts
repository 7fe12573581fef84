import { expect, it } from 'vitest';
import { histogramSeries, observe } from '../../src/lib/series.ts';

it.each([
  [-1, [1, 0, 0]],
  [0, [1, 0, 0]],
  [0.1, [0, 1, 0]],
  [1, [0, 1, 0]],
  [1.5, [0, 0, 1]],
  [2.5, [0, 0, 1]],
  [2.6, [0, 0, 0]],
  [Infinity, [0, 0, 0]],
])('%d falls into the first bucket that it does not exceed', (value, counts) => {
  const series = histogramSeries({}, [0, 1, 2.5]);

  observe(series, value);

  expect(series).toMatchObject({ counts, sum: value, count: 1 });
});
