import { describe, expect, it } from 'vitest';
import { HookOutputError } from '../../src/errors.ts';
import { HookMetrics } from '../../src/effects/hook-metrics.ts';
import { parseMetrics } from '../../src/effects/parse-metrics.ts';

describe('metrics without a group', () => {
  it('add up over runs, fractions too', () => {
    const text = after(
      ['a', { name: 'n_total', add: 0.5 }],
      ['a', { name: 'n_total', add: 1 }, { name: 'n_total', add: 1 }],
    );

    expect(text).toBe('# HELP n_total Reported by hooks.\n# TYPE n_total counter\nn_total{hook="a"} 2.5\n');
  });

  it('keep the last value set', () => {
    expect(after(['a', { name: 'g', set: 5 }], ['a', { name: 'g', set: -2 }])).toContain('g{hook="a"} -2\n');
  });

  it('outlive runs that do not mention them', () => {
    const text = after(['a', { name: 'x', set: 1 }], ['a', { name: 'y', set: 2 }], ['a']);

    expect(seriesOf(text)).toEqual(['x{hook="a"} 1', 'y{hook="a"} 2']);
  });

  it('are told apart by hook', () => {
    const text = after(['a', { name: 'x', set: 1 }], ['b', { name: 'x', set: 2 }]);

    expect(seriesOf(text)).toEqual(['x{hook="a"} 1', 'x{hook="b"} 2']);
  });

  it('carry the name of their hook, whatever they say', () => {
    expect(seriesOf(after(['a', { name: 'x', set: 1, labels: { hook: 'me' } }]))).toEqual(['x{hook="a"} 1']);
  });

  it('have the same labels in every series of a name, empty where there are none', () => {
    const text = after(
      ['a', { name: 'x', set: 1, labels: { one: '1' } }],
      ['a', { name: 'x', set: 2, labels: { two: '2' } }],
      ['a', { name: 'x', set: 3 }],
    );

    expect(seriesOf(text)).toEqual([
      'x{hook="a",one="1",two=""} 1',
      'x{hook="a",one="",two="2"} 2',
      'x{hook="a",one="",two=""} 3',
    ]);
  });

  it('are one series with an empty label and without it', () => {
    const text = after(['a', { name: 'x', add: 1, labels: { one: '' } }], ['a', { name: 'x', add: 1 }]);

    expect(seriesOf(text)).toEqual(['x{hook="a",one=""} 2']);
  });

  it('have their labels escaped', () => {
    expect(seriesOf(after(['a', { name: 'x', set: 1, labels: { p: 'a"b\\c\nd' } }]))).toEqual([
      String.raw`x{hook="a",p="a\"b\\c\nd"} 1`,
    ]);
  });
});

describe('a histogram', () => {
  it('counts what is at most each bound', () => {
    const observe = (value: number) => ({ name: 'h', action: 'observe', value, buckets: [0.1, 1] });

    expect(after(['a', observe(0.1), observe(0.5)], ['a', observe(7)])).toBe(
      [
        '# HELP h Reported by hooks.',
        '# TYPE h histogram',
        'h_bucket{hook="a",le="0.1"} 1',
        'h_bucket{hook="a",le="1"} 2',
        'h_bucket{hook="a",le="+Inf"} 3',
        'h_sum{hook="a"} 7.6',
        'h_count{hook="a"} 3',
        '',
      ].join('\n'),
    );
  });
});

describe('a group', () => {
  it('is replaced by each run that mentions it, whichever hook wrote it', () => {
    const text = after(
      [
        'a',
        { name: 'x', set: 1, group: 'g' },
        { name: 'y', set: 1, labels: { l: '1' }, group: 'g' },
        { name: 'z', set: 1, group: 'other' },
      ],
      ['b', { name: 'x', set: 2, group: 'g' }],
    );

    expect(seriesOf(text)).toEqual(['x{hook="b"} 2', 'z{hook="a"} 1']);
  });

  it('adds up within a run and starts from zero in the next', () => {
    const add = { name: 'x', add: 1, group: 'g' };

    expect(seriesOf(after(['a', add, add]))).toEqual(['x{hook="a"} 2']);
    expect(seriesOf(after(['a', add, add], ['a', add]))).toEqual(['x{hook="a"} 1']);
  });

  it('is gone when it expires', () => {
    expect(after(['a', { name: 'x', set: 1, group: 'g' }], ['b', { group: 'g', action: 'expire' }])).toBe('');
  });

  it('is emptied before anything counts, wherever expire stands', () => {
    const text = after(['a', { name: 'x', set: 1, group: 'g' }, { group: 'g', action: 'expire' }]);

    expect(seriesOf(text)).toEqual(['x{hook="a"} 1']);
  });

  it('leaves what has no group', () => {
    const text = after(['a', { name: 'x', set: 1 }], ['a', { group: 'g', action: 'expire' }]);

    expect(seriesOf(text)).toEqual(['x{hook="a"} 1']);
  });
});

describe('a metric of another type', () => {
  it('is refused, and nothing of the run counts', () => {
    const metrics = new HookMetrics();
    apply(metrics, 'a', { name: 'x', set: 1 });

    expect(() => apply(metrics, 'b', { name: 'y', set: 1 }, { name: 'x', add: 1 })).toThrow(HookOutputError);
    expect(() => apply(metrics, 'b', { name: 'x', add: 1 })).toThrow("x is a gauge, 'add' needs a counter");
    expect(seriesOf(metrics.text())).toEqual(['x{hook="a"} 1']);
  });

  it('is refused within one run', () => {
    expect(() => after(['a', { name: 'x', set: 1 }, { name: 'x', add: 1 }])).toThrow('x is a gauge');
  });

  it('may take the name once the old ones have expired', () => {
    const text = after(['a', { name: 'x', set: 1, group: 'g' }], ['a', { name: 'x', add: 4, group: 'g' }]);

    expect(text).toContain('# TYPE x counter\nx{hook="a"} 4\n');
  });

  it('is refused for other buckets of one series too', () => {
    const observe = (buckets: readonly number[]) => ({ name: 'h', action: 'observe', value: 1, buckets });

    expect(() => after(['a', observe([1])], ['a', observe([2])])).toThrow('h has other buckets already');
    expect(() => after(['a', observe([1])], ['b', observe([2])])).not.toThrow();
  });
});

it('a hook that is gone takes its metrics along', () => {
  const metrics = new HookMetrics();
  apply(metrics, 'a', { name: 'x', set: 1 }, { name: 'y', set: 1 });
  apply(metrics, 'b', { name: 'x', set: 2 });

  metrics.forget('a');

  expect(seriesOf(metrics.text())).toEqual(['x{hook="b"} 2']);
});

type Run = readonly [hook: string, ...operations: readonly object[]];

function after(...runs: readonly Run[]): string {
  const metrics = new HookMetrics();
  for (const [hook, ...operations] of runs) apply(metrics, hook, ...operations);
  return metrics.text();
}

function apply(metrics: HookMetrics, hook: string, ...operations: readonly object[]): void {
  metrics.apply(hook, parseMetrics(operations.map((operation) => JSON.stringify(operation)).join('\n')).operations);
}

function seriesOf(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}
