import { describe, expect, it } from 'vitest';

import { createMetrics } from '../../../src/metrics.ts';
import { bindMetrics } from '../../../src/sources/kubernetes/monitor-metrics.ts';
import { kubernetesBinding } from '../../support/bindings.ts';

const LABELS = { hook: 'h', binding: 'b', queue: 'q' };

function bound() {
  const metrics = createMetrics('');
  return { metrics, binding: bindMetrics(metrics, 'h', kubernetesBinding('b', { queue: 'q' })) };
}

describe('bindMetrics', () => {
  it('writes every metric under the labels of the binding', async () => {
    const { metrics, binding } = bound();

    binding.filtered(0.001);
    binding.filterFailed();
    binding.handled(0.002);
    binding.suppressed();
    binding.snapshotSize(7);

    const counts = [metrics.filterErrors, metrics.eventsSuppressed, metrics.snapshotObjects];
    const values = await Promise.all(counts.map(async (metric) => (await metric.get()).values));
    expect(values).toMatchObject([
      [{ labels: LABELS, value: 1 }],
      [{ labels: LABELS, value: 1 }],
      [{ labels: LABELS, value: 7 }],
    ]);
    const sums = [await metrics.filterSeconds.get(), await metrics.eventSeconds.get()];
    expect(
      sums.map(({ values: parts }) => parts.find(({ metricName }) => metricName?.endsWith('_sum'))?.value),
    ).toEqual([0.001, 0.002]);
  });

  it('takes away what would be wrong once the binding is gone', async () => {
    const { metrics, binding } = bound();
    binding.snapshotSize(7);

    binding.remove();

    expect((await metrics.snapshotObjects.get()).values).toEqual([]);
  });
});
