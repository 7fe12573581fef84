import { expect, it } from 'vitest';
import { createMetrics } from '../../src/metrics.ts';
import { measureLoad } from '../../src/operator/process/process-load.ts';

it('measures the event loop and the heap of this process', async () => {
  const metrics = createMetrics('');
  const ended = new AbortController();
  // The counter is first incremented after a second.
  const increment = metrics.heapAllocatedBytes.inc.bind(metrics.heapAllocatedBytes);
  metrics.heapAllocatedBytes.inc = (labels, bytes) => {
    increment(labels, bytes);
    ended.abort();
  };

  await measureLoad(metrics, ended.signal);

  const text = metrics.text();
  expect(text).toMatch(/^event_loop_delay_seconds_count [1-9]/m);
  expect(text).toMatch(/^event_loop_busy_seconds_total [\d.]*[1-9]/m);
  expect(text).toMatch(/^heap_allocated_bytes_total [1-9]/m);
});
