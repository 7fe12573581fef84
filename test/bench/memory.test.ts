import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { busySeconds, cpuSeconds, pssMb, treeOf, watchMemory } from '../../bench/memory.ts';

describe('the memory of a process tree', () => {
  it('is that of all its processes', async () => {
    const child = spawn(process.execPath, ['-e', 'console.log(1); setInterval(() => {}, 1e6)']);
    await once(child.stdout, 'data');

    const [tree, own, ofChild] = [treeOf(process.pid), pssMb(process.pid), pssMb(child.pid ?? 0)];

    child.kill();
    await once(child, 'exit');
    expect(tree).toContain(child.pid);
    expect(ofChild).toBeGreaterThan(5);
    expect(own).toBeGreaterThan(ofChild);
  });

  it('is 0 when the process has ended', () => {
    expect(pssMb(2 ** 30)).toBe(0);
  });

  it('has a peak that stays when it shrinks', () => {
    using watch = watchMemory(process.pid);

    expect(watch.peakMb).toBeGreaterThan(5);
    expect(watch.lastMb).toBeLessThanOrEqual(watch.peakMb);
  });
});

describe('the CPU time of a process tree', () => {
  it('grows while it works', () => {
    const before = [cpuSeconds(process.pid), busySeconds(process.pid)];

    // Not by the clock, which runs on while other processes have the processor.
    const start = process.cpuUsage();
    while (process.cpuUsage(start).user < 60_000);

    expect(busySeconds(process.pid)).toBeGreaterThan((before[1] ?? 0) + 0.001);
    expect(cpuSeconds(process.pid)).toBeGreaterThanOrEqual(before[0] ?? 0);
  });
});
