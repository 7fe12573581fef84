import { describe, expect, it } from 'vitest';
import { Counter, Gauge, Histogram } from '../../src/lib/metric.ts';

const options = { name: 'x', help: 'It is.', labelNames: ['a', 'b'] } as const;

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
});
