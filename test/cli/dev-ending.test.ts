import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { startSandbox } from '@hooklet/sandbox';
import { DEV_ENDING } from '../../src/cli/dev/ending.ts';
import { nextTurn } from '../../src/lib/turn.ts';
import { recordingHook, sandboxCluster, startOperator, until } from '../support/operator-rig.ts';

const trapping = `trap ': > "$OUT/asked"; exit 0' TERM
: > "$OUT/began"
while :; do sleep 0.01; done`;

afterEach(() => void vi.useRealTimers());

describe('the end of hooklet dev', () => {
  it('gives a hook at most 600 ms, a third of the 2 s that are promised', () => {
    const { gracePeriodMs, killAfterMs, webhookDrainMs } = DEV_ENDING;

    expect(gracePeriodMs + killAfterMs + webhookDrainMs).toBeLessThanOrEqual(600);
  });

  it('has a hook finish for 300 ms by its clock, and asks it to end then', async () => {
    await using sandbox = await startSandbox();
    await using operator = startOperator({
      connect: sandboxCluster(sandbox),
      hooks: { 'hook.sh': recordingHook({ configVersion: 'v1', onStartup: 1 }, trapping) },
      operator: DEV_ENDING,
    });
    const has = (name: string): boolean => existsSync(join(operator.out, name));
    await until(() => expect(has('began')).toBe(true));
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });

    const stopped = operator.stop();
    await vi.advanceTimersByTimeAsync(299);
    for (let turn = 0; turn < 100; turn += 1) await nextTurn();
    expect(has('asked')).toBe(false);

    await vi.advanceTimersByTimeAsync(1);
    while (!has('asked')) await nextTurn();
    vi.useRealTimers();
    await stopped;
  });
});
