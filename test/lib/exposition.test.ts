import { expect, it } from 'vitest';
import { familyText } from '../../src/lib/exposition.ts';

it('a family is written with its help, its type and a line for each number', () => {
  const series = [
    { type: 'value', labels: { hook: 'a', z: '1' }, value: 1e21 },
    { type: 'value', labels: { hook: 'b', a: '2' }, value: -0.5 },
  ] as const;

  expect(familyText({ name: 'x', help: 'What it is.', type: 'gauge', labelNames: ['a', 'hook', 'z'], series })).toBe(
    '# HELP x What it is.\n# TYPE x gauge\nx{a="",hook="a",z="1"} 1e+21\nx{a="2",hook="b",z=""} -0.5\n',
  );
});

it('the buckets of a histogram hold those before them', () => {
  const series = [{ type: 'histogram' as const, labels: {}, buckets: [1, 2.5], counts: [3, 4], sum: 9, count: 8 }];

  const text = familyText({ name: 'h', help: '', type: 'histogram', labelNames: [], series: series });

  expect(text.split('\n').slice(2, -1)).toEqual([
    'h_bucket{le="1"} 3',
    'h_bucket{le="2.5"} 7',
    'h_bucket{le="+Inf"} 8',
    'h_sum 9',
    'h_count 8',
  ]);
});

it.each([
  [Infinity, '+Inf'],
  [-Infinity, '-Inf'],
  [Number.NaN, 'NaN'],
  [0.1, '0.1'],
])('the number %d is written as Prometheus reads it', (value, text) => {
  const series = [{ type: 'value' as const, labels: {}, value }];

  expect(familyText({ name: 'x', help: '', type: 'gauge', labelNames: [], series })).toContain(`\nx ${text}\n`);
});
