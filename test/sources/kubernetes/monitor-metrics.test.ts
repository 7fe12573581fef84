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
    expect(counts.map(({ series }) => [...series])).toMatchObject([
      [{ labels: LABELS, value: 1 }],
      [{ labels: LABELS, value: 1 }],
      [{ labels: LABELS, value: 7 }],
    ]);
    const histograms = [metrics.filterSeconds, metrics.eventSeconds];
    expect(histograms.map(({ series }) => [...series])).toMatchObject([
      [{ labels: LABELS, sum: 0.001, count: 1 }],
      [{ labels: LABELS, sum: 0.002, count: 1 }],
    ]);
  });

  it('takes away what would be wrong once the binding is gone', async () => {
    const { metrics, binding } = bound();
    binding.snapshotSize(7);

    binding.remove();

    expect([...metrics.snapshotObjects.series]).toEqual([]);
  });
});
