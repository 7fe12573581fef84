import { expect, it } from 'vitest';
import { familyText, type Series } from '../../src/effects/exposition.ts';

it('a family is written with its help, its type and a line for each number', () => {
  const series = new Map<string, Series>([
    ['a', { type: 'gauge', labels: { hook: 'a', z: '1' }, group: undefined, value: 1e21 }],
    ['b', { type: 'gauge', labels: { hook: 'b', a: '2' }, group: 'g', value: -0.5 }],
  ]);

  expect(familyText({ name: 'x', type: 'gauge', series })).toBe(
    '# HELP x Reported by hooks.\n# TYPE x gauge\nx{a="",hook="a",z="1"} 1e+21\nx{a="2",hook="b",z=""} -0.5\n',
  );
});

it('the buckets of a histogram hold those before them', () => {
  const series = new Map<string, Series>([
    [
      'a',
      { type: 'histogram', labels: {}, group: undefined, buckets: [1, 2.5], counts: [3, 4], sum: 9, count: 8 } as const,
    ],
  ]);

  expect(familyText({ name: 'h', type: 'histogram', series }).split('\n').slice(2, -1)).toEqual([
    'h_bucket{le="1"} 3',
    'h_bucket{le="2.5"} 7',
    'h_bucket{le="+Inf"} 8',
    'h_sum{} 9',
    'h_count{} 8',
  ]);
});
