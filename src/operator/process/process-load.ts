import { HeapAllocation } from '../../lib/heap-allocation.ts';
import { watchLoop } from '../../lib/loop-watch.ts';
import type { Metrics } from '../../metrics.ts';

/** Measures how busy this process is, until `signal` aborts. */
export async function measureLoad(metrics: Metrics, signal: AbortSignal): Promise<void> {
  using allocation = new HeapAllocation();
  const observer = {
    onDelay: (delayMs: number) => metrics.loopDelaySeconds.observe({}, delayMs / 1000),
    onBusy: (busyMs: number) => {
      metrics.loopBusySeconds.inc({}, busyMs / 1000);
      metrics.heapAllocatedBytes.inc({}, allocation.take());
    },
  };
  await watchLoop(observer, signal);
}
