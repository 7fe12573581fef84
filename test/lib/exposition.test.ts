import { expect, it } from 'vitest';
import { familyPieces, type MetricFamily } from '../../src/lib/exposition.ts';
import { histogramSeries, observe, valueSeries, type Labels } from '../../src/lib/series.ts';

function familyText(family: MetricFamily): string {
  return [...familyPieces(family)].join('');
}

function gaugeOf(value: number, labels: Labels = {}) {
  return Object.assign(valueSeries(labels), { value });
}

it('a family is written with its help, its type and a line for each number, with the labels each has', () => {
  const series = [gaugeOf(1e21, { hook: 'a', z: '1' }), gaugeOf(-0.5, { a: '2', hook: 'b' })];

  expect(familyText({ name: 'x', help: 'What it is.', type: 'gauge', series })).toBe(
    '# HELP x What it is.\n# TYPE x gauge\nx{hook="a",z="1"} 1e+21\nx{a="2",hook="b"} -0.5\n',
  );
});

it('labels that objects have a meaning for are labels like others', () => {
  const series = [gaugeOf(1, { constructor: 'a', toString: 'b' }), gaugeOf(2)];

  expect(familyText({ name: 'x', help: '', type: 'gauge', series })).toContain(
    '\nx{constructor="a",toString="b"} 1\nx 2\n',
  );
});

it('the buckets of a histogram hold those before them', () => {
  const series = histogramSeries({ a: '1' }, [1, 2.5]);
  for (const value of [0.5, 1, 2, 3]) observe(series, value);

  const text = familyText({ name: 'h', help: '', type: 'histogram', series: [series] });

  expect(text.split('\n').slice(2, -1)).toEqual([
    'h_bucket{a="1",le="1"} 2',
    'h_bucket{a="1",le="2.5"} 3',
    'h_bucket{a="1",le="+Inf"} 4',
    'h_sum{a="1"} 6.5',
    'h_count{a="1"} 4',
  ]);
});

it('a histogram without labels has no empty braces', () => {
  const text = familyText({ name: 'h', help: '', type: 'histogram', series: [histogramSeries({}, [])] });

  expect(text.split('\n').slice(2, -1)).toEqual(['h_bucket{le="+Inf"} 0', 'h_sum 0', 'h_count 0']);
});

it.each([
  [Infinity, '+Inf'],
  [-Infinity, '-Inf'],
  [Number.NaN, 'NaN'],
  [0.1, '0.1'],
])('the number %d is written as Prometheus reads it', (value, text) => {
  expect(familyText({ name: 'x', help: '', type: 'gauge', series: [gaugeOf(value)] })).toContain(`\nx ${text}\n`);
});
