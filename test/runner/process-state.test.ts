import { spawn } from 'node:child_process';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isHeldByMachine } from '../../src/runner/process-state.ts';
import { until } from '../support/operator-rig.ts';

function start(script: string): number {
  const child = spawn('bash', ['-c', script], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child.pid ?? 0;
}

describe('a process that does nothing', () => {
  it('is held by the machine while it wants a processor', async () => {
    const pid = start('while :; do :; done');

    await until(() => expect(isHeldByMachine(pid)).toBe(true));
  });

  it('is not held by the machine while it is stopped, or waits for others', async () => {
    const stopped = start('while :; do :; done');
    const waits = start('exec sleep 600');
    process.kill(stopped, 'SIGSTOP');

    await until(() => expect([stopped, waits].map(isHeldByMachine)).toEqual([false, false]));
  });

  it('counts as delayed by the machine when the system does not report its state', () => {
    expect(isHeldByMachine(-1)).toBe(true);
  });
});
