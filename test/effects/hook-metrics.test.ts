import { describe, expect, it } from 'vitest';
import { HookMetrics, type DroppedMetrics } from '../../src/effects/hook-metrics.ts';
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

  it('have each the labels they were given: to Prometheus none is the same as an empty one', () => {
    const text = after(
      ['a', { name: 'x', set: 1, labels: { one: '1' } }],
      ['a', { name: 'x', set: 2, labels: { two: '2' } }],
      ['a', { name: 'x', set: 3 }],
    );

    expect(seriesOf(text)).toEqual(['x{hook="a",one="1"} 1', 'x{hook="a",two="2"} 2', 'x{hook="a"} 3']);
  });

  it('are one series with an empty label and without it', () => {
    const text = after(['a', { name: 'x', add: 1, labels: { one: '' } }], ['a', { name: 'x', add: 1 }]);

    expect(seriesOf(text)).toEqual(['x{hook="a"} 2']);
  });

  it('have their labels escaped', () => {
    expect(seriesOf(after(['a', { name: 'x', set: 1, labels: { p: 'a"b\\c\nd' } }]))).toEqual([
      String.raw`x{hook="a",p="a\"b\\c\nd"} 1`,
    ]);
  });

  it('have no NUL, at which Prometheus would end the page', () => {
    expect(seriesOf(after(['a', { name: 'x', set: 1, labels: { p: 'a\0b' } }]))).toEqual([
      'x{hook="a",p="a\ufffdb"} 1',
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

  it('is emptied first, and where expire stands', () => {
    const x = { name: 'x', set: 1, group: 'g' };
    const y = { name: 'y', set: 1, group: 'g' };

    expect(seriesOf(after(['a', x], ['a', y]))).toEqual(['y{hook="a"} 1']);
    expect(seriesOf(after(['a', x, { group: 'g', action: 'expire' }, y]))).toEqual(['y{hook="a"} 1']);
  });

  it('is that of the hook where expire names none', () => {
    const text = after(
      ['a', { name: 'x', set: 1 }, { name: 'y', set: 1, group: 'g' }],
      ['b', { name: 'x', set: 2 }],
      ['a', { action: 'expire' }],
    );

    expect(seriesOf(text)).toEqual(['x{hook="b"} 2', 'y{hook="a"} 1']);
  });

  it('leaves what has no group', () => {
    const text = after(['a', { name: 'x', set: 1 }], ['a', { group: 'g', action: 'expire' }]);

    expect(seriesOf(text)).toEqual(['x{hook="a"} 1']);
  });
});

describe('a metric of another type', () => {
  it('is dropped, and the others of the run count', () => {
    const metrics = new HookMetrics();
    apply(metrics, 'a', { name: 'x', set: 1 });

    expect(apply(metrics, 'b', { name: 'y', set: 1 }, { name: 'x', add: 1 }, { name: 'x', add: 1 })).toEqual({
      count: 2,
      series: 'x {}',
      reason: "it is a gauge, 'add' needs a counter",
    });
    expect(seriesOf(metrics.text())).toEqual(['x{hook="a"} 1', 'y{hook="b"} 1']);
  });

  it('is dropped within one run', () => {
    expect(seriesOf(after(['a', { name: 'x', set: 1 }, { name: 'x', add: 5 }]))).toEqual(['x{hook="a"} 1']);
  });

  it('may take the name once the old ones have expired', () => {
    const text = after(['a', { name: 'x', set: 1, group: 'g' }], ['a', { name: 'x', add: 4, group: 'g' }]);

    expect(text).toContain('# TYPE x counter\nx{hook="a"} 4\n');
  });

  it('keeps the buckets of its first observation', () => {
    const observe = (buckets: readonly number[]) => ({ name: 'h', action: 'observe', value: 3, buckets });
    const text = after(['a', observe([1, 5])], ['a', observe([2, 7])], ['b', observe([2])]);

    expect(seriesOf(text).filter((line) => line.includes('_bucket'))).toEqual([
      'h_bucket{hook="a",le="1"} 0',
      'h_bucket{hook="a",le="5"} 2',
      'h_bucket{hook="a",le="+Inf"} 2',
      'h_bucket{hook="b",le="1"} 0',
      'h_bucket{hook="b",le="5"} 1',
      'h_bucket{hook="b",le="+Inf"} 1',
    ]);
  });
});

it('a negative observation is in the first bucket', () => {
  const text = after(['a', { name: 'h', action: 'observe', value: -1, buckets: [1] }]);

  expect(seriesOf(text)).toContain('h_bucket{hook="a",le="1"} 1');
});

describe('labels', () => {
  it.each(['constructor', 'toString', 'hasOwnProperty', 'valueOf'])(
    'may be called %s, beside series without',
    (name) => {
      const text = after(['a', { name: 'x', set: 1, labels: { [name]: 'l' } }, { name: 'x', set: 2 }]);

      expect(seriesOf(text)).toEqual([`x{${[`${name}="l"`, 'hook="a"'].toSorted().join()}} 1`, 'x{hook="a"} 2']);
    },
  );

  it('called __proto__ make nothing, as Prometheus keeps such names for itself', () => {
    const { operations, warnings } = parseMetrics('{"name": "x", "set": 1, "labels": {"__proto__": "l"}}');

    expect(operations).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining('labels.__proto__')]);
  });

  it('of 8000 other names each make a page that grows with the series, not with their square', () => {
    const operations = Array.from({ length: 8000 }, (_, n) => ({ name: 'x', set: n, labels: { [`label_${n}`]: 'l' } }));

    const text = after(['a', ...operations]);

    expect(seriesOf(text)).toHaveLength(8000);
    expect(text.length).toBeLessThan(8000 * 50);
  });
});

describe('the limits', () => {
  const gauges = (count: number, name = 'x') =>
    Array.from({ length: count }, (_, n) => ({ name, set: n, labels: { n: String(n) } }));

  it('are 10,000 samples a hook: further series are left out and told, those that are there count on', () => {
    const metrics = new HookMetrics();

    expect(apply(metrics, 'a', ...gauges(10_000))).toBeUndefined();
    const dropped = apply(metrics, 'a', { name: 'more', set: 1, labels: { b: 'c' } }, { name: 'more', set: 2 });
    expect(apply(metrics, 'a', { name: 'x', set: 42, labels: { n: '7' } })).toBeUndefined();

    expect(dropped).toEqual({ count: 2, series: 'more {"b":"c"}', reason: 'one hook may have 10000 samples' });
    expect(seriesOf(metrics.text())).toHaveLength(10_000);
    expect(metrics.text()).toContain('x{hook="a",n="7"} 42\n');
    expect(metrics.text()).not.toContain('more');
  });

  it('are 50,000 samples in all', () => {
    const metrics = new HookMetrics();
    for (const hook of ['a', 'b', 'c', 'd', 'e']) expect(apply(metrics, hook, ...gauges(10_000))).toBeUndefined();

    expect(apply(metrics, 'f', { name: 'x', set: 1 })?.reason).toBe('all hooks may have 50000 samples');
    metrics.forget('a');

    expect(apply(metrics, 'f', { name: 'x', set: 1 })).toBeUndefined();
  });

  it('count a histogram by its buckets, and three more', () => {
    const metrics = new HookMetrics();
    const buckets = Array.from({ length: 9998 }, (_, n) => n);
    const observation = { name: 'h', action: 'observe', value: 1, buckets };

    expect(apply(metrics, 'a', observation)?.reason).toBe('one hook may have 10000 samples');

    expect(apply(metrics, 'a', { ...observation, buckets: buckets.slice(1) })).toBeUndefined();
  });

  it('are 4 MiB of series a hook', () => {
    const metrics = new HookMetrics();
    const large = (n: number) => ({ name: 'x', set: 1, labels: { n: String(n), text: 'y'.repeat(8000) } });

    const dropped = apply(metrics, 'a', ...Array.from({ length: 1000 }, (_, n) => large(n)));

    expect(dropped).toMatchObject({ reason: 'one hook may have 4 MiB of series' });
    expect(metrics.text().length).toBeLessThan(4 * 2 ** 20);
    expect(metrics.text().length).toBeGreaterThan(4e6);
  });

  it('are 64 labels, and 8192 bytes of name and labels', () => {
    const metrics = new HookMetrics();
    const labels = Object.fromEntries(Array.from({ length: 63 }, (_, n) => [`l${n}`, 'v']));

    // Each series also has the label `hook`.
    expect(apply(metrics, 'a', { name: 'x', set: 1, labels })).toBeUndefined();
    expect(apply(metrics, 'a', { name: 'x', set: 1, labels: { ...labels, m: 'v' } })?.reason).toBe(
      'it has 65 labels, at most 64 are kept',
    );
    const rest = 8192 - 'xhook="a",m=""'.length;
    expect(apply(metrics, 'a', { name: 'x', set: 1, labels: { m: 'v'.repeat(rest) } })).toBeUndefined();
    const dropped = apply(metrics, 'a', { name: 'x', set: 1, labels: { m: 'v'.repeat(rest + 1) } });
    expect(dropped?.reason).toBe('its name and labels have 8193 bytes, at most 8192 are kept');
    expect(dropped?.series.length).toBeLessThan(250);
  });

  it('give back the room of a group that is replaced or expires', () => {
    const metrics = new HookMetrics();
    const grouped = gauges(10_000).map((one) => ({ ...one, group: 'g' }));

    for (const _ of [1, 2, 3]) expect(apply(metrics, 'a', ...grouped)).toBeUndefined();
    expect(apply(metrics, 'a', { name: 'y', set: 1 })).toBeDefined();
    apply(metrics, 'b', { group: 'g', action: 'expire' });

    expect(apply(metrics, 'a', { name: 'y', set: 1 })).toBeUndefined();
  });
});

it('a series that leaves its group stays when the group expires', () => {
  const text = after(
    ['a', { name: 'x', set: 1, group: 'g' }, { name: 'x', set: 2 }],
    ['a', { group: 'g', action: 'expire' }],
  );

  expect(seriesOf(text)).toEqual(['x{hook="a"} 2']);
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

function apply(metrics: HookMetrics, hook: string, ...operations: readonly object[]): DroppedMetrics | undefined {
  return metrics.apply(
    hook,
    parseMetrics(operations.map((operation) => JSON.stringify(operation)).join('\n')).operations,
  );
}

function seriesOf(text: string): readonly string[] {
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}
