import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { killGroup, watchedGroup } from '../../src/runner/kill-group.ts';

describe('killGroup', () => {
  it('reaches what the process started', async () => {
    const child = spawn('sh', ['-c', 'sleep 600 & echo ready; wait'], { detached: true });
    await once(child.stdout, 'data');

    killGroup(child.pid, 'SIGKILL');

    // The pipe closes only when the grandchild, which holds it too, is gone.
    await once(child, 'close');
    expect(child.signalCode).toBe('SIGKILL');
  });

  it('does nothing when the group is gone', () => {
    expect(() => killGroup(2 ** 22 + 1, 'SIGKILL')).not.toThrow();
  });

  it('does nothing without a process', () => {
    expect(() => killGroup(undefined, 'SIGKILL')).not.toThrow();
  });
});

describe('watchedGroup', () => {
  it('is signalled as long as it has processes, and never again when it was found gone', async () => {
    const child = spawn('sleep', ['600'], { detached: true });
    await once(child, 'spawn');
    const kill = vi.fn<typeof killGroup>();
    const group = watchedGroup(child.pid ?? 0, kill);

    group.look();
    group.kill('SIGTERM');
    child.kill('SIGKILL');
    await once(child, 'exit');
    group.look();
    group.kill('SIGKILL');

    expect(kill.mock.calls).toEqual([[child.pid, 'SIGTERM']]);
  });
});
