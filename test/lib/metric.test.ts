import { describe, expect, it } from 'vitest';
import { Counter, Gauge, Histogram } from '../../src/lib/metric.ts';

const options = { name: 'x', help: 'It is.', labelNames: ['a', 'b'], maxSeries: 3 } as const;

describe('a metric', () => {
  it('counts for each set of labels by itself, in whatever order they come', () => {
    const counter = new Counter(options);

    counter.inc({ a: '1', b: '2' });
    counter.inc({ b: '2', a: '1' }, 0.5);
    counter.inc({ a: '12', b: '' });

    expect([...counter.series].map(({ labels, value }) => [labels, value])).toEqual([
      [{ a: '1', b: '2' }, 1.5],
      [{ a: '12', b: '' }, 1],
    ]);
  });

  it('of a gauge is what was set last, until it is removed', () => {
    const gauge = new Gauge(options);

    gauge.set({ a: '', b: '' }, 1);
    gauge.set({ a: '', b: '' }, -2);
    gauge.set({ a: 'gone', b: '' }, 3);
    gauge.remove({ a: 'gone', b: '' });

    expect([...gauge.series]).toMatchObject([{ value: -2 }]);
    gauge.clear();
    expect([...gauge.series]).toEqual([]);
  });

  it('is 0 from the moment it is asked for, and keeps what it has', () => {
    const histogram = new Histogram({ ...options, labelNames: [] }, [1]);
    histogram.of({});
    expect([...histogram.series]).toMatchObject([{ counts: [0], sum: 0, count: 0 }]);

    histogram.observe({}, 1);

    expect(histogram.of({})).toMatchObject({ counts: [1], sum: 1, count: 1 });
  });

  it('of a counter has one series for all sets of labels above 3, and counts how often it was asked for', () => {
    let overflows = 0;
    const counter = new Counter({ ...options, onOverflow: () => (overflows += 1) });

    for (const a of ['1', '2', '3', '4', '5', '1']) counter.inc({ a, b: '' });

    const values = [...counter.series].map(({ labels: { a = '', b = '' }, value }) => [a, b, value]);
    expect(values).toEqual([
      ['1', '', 2],
      ['2', '', 1],
      ['3', '', 1],
      ['(other)', '(other)', 2],
    ]);
    expect(overflows).toBe(2);
  });

  it('of a histogram keeps every observation, also above its 3 sets of labels', () => {
    const histogram = new Histogram(options, [1]);

    for (const a of ['1', '2', '3', '4', '5']) histogram.observe({ a, b: '' }, 0.5);

    expect([...histogram.series].map(({ count }) => count)).toEqual([1, 1, 1, 2]);
  });

  it('of a gauge shows nothing above 3 sets of labels, since a sum of them would mean nothing', () => {
    const gauge = new Gauge(options);

    for (const a of ['1', '2', '3', '4']) gauge.set({ a, b: '' }, Number(a));

    expect([...gauge.series].map(({ value }) => value)).toEqual([1, 2, 3]);
    gauge.remove({ a: '1', b: '' });
    gauge.set({ a: '4', b: '' }, 4);
    expect([...gauge.series].map(({ value }) => value)).toEqual([2, 3, 4]);
  });

  it('cuts a label to 256 characters', () => {
    const counter = new Counter(options);

    counter.inc({ a: 'x'.repeat(1_000_000), b: '' });
    counter.inc({ a: 'x'.repeat(1_000_000), b: '' });

    expect([...counter.series]).toMatchObject([{ labels: { a: `${'x'.repeat(255)}…` }, value: 2 }]);
  });
});
