import { startSandbox } from '@hooklet/sandbox';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { aborted } from '../../src/lib/aborted.ts';
import { latch } from '../../src/lib/latch.ts';
import { createMetrics } from '../../src/metrics.ts';
import { RunLocks } from '../../src/operator/locks/run-locks.ts';
import { newRun, type RunOutcome } from '../../src/run/run.ts';
import { hookWith, scheduleBinding, tickOf } from '../support/bindings.ts';
import { never } from '../support/hook-rig.ts';
import { inProcessClient } from '../support/in-process-client.ts';
import { taskOf } from '../support/unit-rig.ts';

const DONE: RunOutcome = { type: 'succeeded', cost: { durationMs: 0, usage: {} }, applied: [] };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('a run that has lost its lock kills no other hook once its own hook has ended', async () => {
  const sandbox = await startSandbox();
  onTestFinished(() => sandbox.close());
  const client = inProcessClient(sandbox);
  const fences: (number | undefined)[] = [];
  const locks = new RunLocks({
    client,
    namespace: 'default',
    host: 'web-0',
    waiting: { locks: () => [], hasten: () => {} },
    fence: (leftMs) => fences.push(leftMs),
    metrics: createMetrics(''),
  });
  const binding = scheduleBinding('often');
  const run = newRun(taskOf(hookWith('backup.sh', [binding]), tickOf(binding)), 'main');
  const [hook, rest] = [latch(), latch()];

  const running = locks.during(run, { name: 'nightly' }, never, async (lost, check) => {
    await aborted(lost);
    await hook.promise;
    check();
    await rest.promise;
    return DONE;
  });
  await vi.advanceTimersByTimeAsync(1000);
  client.link = 'down';
  await vi.advanceTimersByTimeAsync(16_000);
  expect(fences.at(-1)).toBeGreaterThan(0);
  hook.resolve();
  await vi.advanceTimersByTimeAsync(0);

  expect(fences.at(-1)).toBeUndefined();
  rest.resolve();
  expect(await running).toMatchObject({ type: 'failed', result: { reason: 'LockLost' } });
});
