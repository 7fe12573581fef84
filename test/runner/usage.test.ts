import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { createCpuMeter, watchMemory } from '../../src/runner/usage.ts';

describe('createCpuMeter', () => {
  it('gives the time of the children reaped since it was last asked', () => {
    const takeCpu = createCpuMeter();
    execFileSync(process.execPath, ['-e', 'while (process.cpuUsage().user < 100_000);']);

    const busy = takeCpu();
    const idle = takeCpu();

    expect(busy.userCpuMs).toBeGreaterThanOrEqual(50);
    expect(idle).toEqual({ userCpuMs: 0, systemCpuMs: 0 });
  });
});

describe('watchMemory', () => {
  it('finds the peak of the largest process below the one it is given', async () => {
    const script = 'const b = Buffer.alloc(64e6, 1); process.stdout.write("full"); setTimeout(() => b, 60000)';
    const child = spawn('sh', ['-c', `"${process.execPath}" -e '${script}'; :`], { detached: true });
    const { pid = 0 } = child;
    const memory = watchMemory(pid);
    await once(child.stdout, 'data');

    // The interval of samples grows up to a second.
    const peak = await vi.waitUntil(() => (memory.peak() ?? 0) > 64e6 && memory.peak(), { timeout: 30_000 });
    memory.stop();
    process.kill(-pid, 'SIGKILL');

    expect(peak).toBeGreaterThan(64e6);
  });

  it('knows nothing of a process that is gone before the first sample', () => {
    const memory = watchMemory(2 ** 30);

    memory.stop();

    expect(memory.peak()).toBeUndefined();
  });
});
