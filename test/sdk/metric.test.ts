import { expect, it } from 'vitest';
import { Metric } from '../../src/sdk/metric.ts';

it('writes metrics as the metrics file has them', () => {
  const metric = new Metric();

  metric.expire('pods');
  metric.set('gauge', 1.5, { labels: { a: 'b' }, group: 'pods' });
  metric.add('counter', 2);
  metric.observe('histogram', 3, { buckets: [1, 5] });

  const documents: unknown[] = metric
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(documents).toEqual([
    { group: 'pods', action: 'expire' },
    { name: 'gauge', action: 'set', value: 1.5, labels: { a: 'b' }, group: 'pods' },
    { name: 'counter', action: 'add', value: 2 },
    { name: 'histogram', action: 'observe', value: 3, buckets: [1, 5] },
  ]);
});
