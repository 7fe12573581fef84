import { execFileSync } from 'node:child_process';
import { openSync, closeSync, readFileSync } from 'node:fs';
import { GCProfiler, getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { createProcessMetrics } from '../../src/operator/process/process-metrics.ts';

describe('metrics of the process', () => {
  it('have the names and types that other programs on Node have', async () => {
    const text = await createProcessMetrics().text();

    expect(text.match(/(?<=^# TYPE ).*/gm)).toEqual([
      'process_cpu_user_seconds_total counter',
      'process_cpu_system_seconds_total counter',
      'process_cpu_seconds_total counter',
      'process_start_time_seconds gauge',
      'process_resident_memory_bytes gauge',
      'process_virtual_memory_bytes gauge',
      'process_heap_bytes gauge',
      'process_open_fds gauge',
      'process_max_fds gauge',
      'nodejs_eventloop_lag_seconds gauge',
      'nodejs_active_resources gauge',
      'nodejs_active_resources_total gauge',
      'nodejs_active_handles gauge',
      'nodejs_active_handles_total gauge',
      'nodejs_active_requests gauge',
      'nodejs_active_requests_total gauge',
      'nodejs_heap_size_total_bytes gauge',
      'nodejs_heap_size_used_bytes gauge',
      'nodejs_external_memory_bytes gauge',
      'nodejs_heap_space_size_total_bytes gauge',
      'nodejs_heap_space_size_used_bytes gauge',
      'nodejs_heap_space_size_available_bytes gauge',
      'nodejs_version_info gauge',
      'nodejs_gc_duration_seconds histogram',
    ]);
  });

  it('count the CPU time since the process began', async () => {
    const before = process.cpuUsage();
    const values = await read();
    const after = process.cpuUsage();

    expectBetween(values('process_cpu_user_seconds_total'), [before.user / 1e6, after.user / 1e6]);
    expectBetween(values('process_cpu_system_seconds_total'), [before.system / 1e6, after.system / 1e6]);
    expect(values('process_cpu_seconds_total')).toBeCloseTo(
      values('process_cpu_user_seconds_total') + values('process_cpu_system_seconds_total'),
      6,
    );
  });

  it('say when the process began', async () => {
    const values = await read();

    expect(Math.abs(values('process_start_time_seconds') - (Date.now() / 1000 - process.uptime()))).toBeLessThan(2);
  });

  it('say what Node says of memory, within a quarter of it', async () => {
    const values = await read();
    const { rss, heapTotal, heapUsed, external } = process.memoryUsage();

    expectClose(values('process_resident_memory_bytes'), rss);
    expectClose(values('nodejs_heap_size_total_bytes'), heapTotal);
    expectClose(values('nodejs_heap_size_used_bytes'), heapUsed);
    expectClose(values('nodejs_external_memory_bytes'), external);
  });

  it('say what the kernel says of memory, within a quarter of it', async () => {
    const values = await read();
    const [pages = ''] = readFileSync('/proc/self/statm', 'utf8').split(' ');
    const pageBytes = Number(execFileSync('getconf', ['PAGESIZE'], { encoding: 'utf8' }));

    expectClose(values('process_virtual_memory_bytes'), Number(pages) * pageBytes);
    expectBetween(values('process_heap_bytes'), [1, values('process_virtual_memory_bytes')]);
  });

  it('count open files, and know how many may be', async () => {
    const before = (await read())('process_open_fds');
    const opened = Array.from({ length: 40 }, () => openSync('/dev/null', 'r'));
    const values = await read();
    for (const file of opened) closeSync(file);

    // What else runs in this process may open and close some.
    expectBetween(values('process_open_fds') - before, [30, 50]);
    expect(values('process_max_fds')).toBe(Number(execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' })));
  });

  it('have each space of the heap by its name', async () => {
    const values = await read();

    for (const { space_name: name } of getHeapSpaceStatistics()) {
      const labels = `{space="${name.replace('_space', '')}"}`;
      const [used, total] = ['used', 'total'].map((what) => values(`nodejs_heap_space_size_${what}_bytes${labels}`));
      expect(used).toBeLessThanOrEqual(total ?? Number.NaN);
      expect(values(`nodejs_heap_space_size_available_bytes${labels}`)).toBeGreaterThanOrEqual(0);
    }
  });

  it('count by type what keeps the event loop alive', async () => {
    const timer = setTimeout(() => {}, 60_000);
    const values = await read();
    clearTimeout(timer);

    expect(values('nodejs_active_resources{type="Timeout"}')).toBeGreaterThanOrEqual(1);
    expect(values('nodejs_active_resources_total')).toBeGreaterThanOrEqual(
      values('nodejs_active_resources{type="Timeout"}'),
    );
    expect(values('nodejs_active_handles_total')).toBeGreaterThanOrEqual(0);
    expect(values('nodejs_active_requests_total')).toBeGreaterThanOrEqual(0);
  });

  it('have the version of Node in labels', async () => {
    const [major, minor, patch] = process.versions.node.split('.');
    const labels = `{version="${process.version}",major="${major}",minor="${minor}",patch="${patch}"}`;

    expect((await read())(`nodejs_version_info${labels}`)).toBe(1);
  });

  it('measure how long the event loop is held', async () => {
    const text = createProcessMetrics().text();
    for (const beganMs = performance.now(); performance.now() - beganMs < 30;);

    expectBetween(valuesOf(await text)('nodejs_eventloop_lag_seconds'), [0.025, 5]);
  });
});

describe('garbage collections', () => {
  it('are all counted by kind from the start of the run to its end, and none after it', async () => {
    const stop = new AbortController();
    const metrics = createProcessMetrics();
    const running = metrics.run(stop.signal);
    const profiler = new GCProfiler();
    profiler.start();
    for (let round = 0; round < 3; round++) collectGarbage();
    const { statistics } = profiler.stop();
    const major = statistics.filter(({ gcType }) => gcType === 'MarkSweepCompact').length;
    const counted = async (): Promise<number> =>
      valuesOf(await metrics.text())('nodejs_gc_duration_seconds_count{kind="major"}');

    await expect.poll(counted).toBeGreaterThanOrEqual(major);

    stop.abort();
    await running;
    const atEnd = await counted();
    collectGarbage();
    await new Promise((resolve) => setImmediate(resolve));

    expect(await counted()).toBe(atEnd);
  });
});

async function read(): Promise<(series: string) => number> {
  return valuesOf(await createProcessMetrics().text());
}

/** The value of a series, with its labels as they are written; NaN where there is none. */
function valuesOf(text: string): (series: string) => number {
  const lines = text.split('\n').map((line) => line.split(/ (?=\S+$)/));
  const bySeries = new Map(lines.map(([series = '', value]) => [series, Number(value)]));
  return (series) => bySeries.get(series) ?? Number.NaN;
}

function expectClose(value: number, expected: number): void {
  expectBetween(value, [expected * 0.75, expected * 1.25]);
}

function expectBetween(value: number, [least, most]: readonly [number, number]): void {
  expect(value).toBeGreaterThanOrEqual(least);
  expect(value).toBeLessThanOrEqual(most);
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect();
}
