import { expect, it } from 'vitest';
import { scaleText, type Slopes } from '../../../bench/plots/scale.ts';

const SLOPES: Slopes = {
  filteredMb: { base: 100, each: 0.0005 },
  fullMb: { base: 100, each: 0.002 },
  listSeconds: { base: 0.2, each: 0.00002 },
  watchMb: { base: 100, each: 0.05 },
  hookSeconds: { base: 0.2, each: 0.008 },
  eventUs: { base: 200, each: 5 },
};

it('the bound that is met first comes first', () => {
  const rows = scaleText(SLOPES)
    .split('\n')
    .slice(2)
    .map((line) => line.split('|').map((cell) => cell.trim()));

  // 1,667 events a second, each 200 µs and 5 µs for each of 500 bindings; 10^4 hooks; 10^6 objects.
  expect(rows.map(([, what, , needed]) => [what, needed])).toEqual([
    ['events, 1,700 a second, 500 bindings each', '4.5 cores'],
    ['start: hooks', '80 s'],
    ['memory, full objects', '2,100 MB'],
    ['start: lists', '20 s'],
    ['memory, filter results', '600 MB'],
  ]);
});
