import { afterEach, expect, it, vi } from 'vitest';
import { createProcessMetrics } from '../../src/operator/process-metrics.ts';

afterEach(() => {
  vi.useRealTimers();
});

it('metrics of the process are collected from the end of the start, not from the first scrape', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const metrics = createProcessMetrics();
  const running = metrics.run(new AbortController().signal);
  await vi.advanceTimersByTimeAsync(5000);
  await running;
  for (const began = process.cpuUsage().user; process.cpuUsage().user - began < 30_000;);

  expect(cpuSeconds(await metrics.text())).toBeGreaterThan(0.02);
});

it('metrics of the process that ends before are not collected', async () => {
  const ended = new AbortController();
  const running = createProcessMetrics().run(ended.signal);
  ended.abort();

  await expect(running).resolves.toBeUndefined();
});

function cpuSeconds(text: string): number {
  return Number(/^process_cpu_user_seconds_total (\S+)$/m.exec(text)?.[1]);
}
