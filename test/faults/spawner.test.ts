import { describe, expect, it } from 'vitest';
import { bindingTo, once, queuedHook } from '../support/fault-hooks.ts';
import { markProcesses } from '../support/fault-processes.ts';
import { startFaultRig } from '../support/fault-rig.ts';
import { recordingHook, until } from '../support/operator-rig.ts';
import { within } from '../support/within.ts';

const GRACE_MS = 500;

describe('a spawner process that is stopped', () => {
  it('is killed with its runs after 5 s, and what it had is run again within 10 s', async () => {
    const processes = markProcesses();
    const body = once('slow', 'setsid sleep 601 & sleep 600');
    await using rig = await startFaultRig({ env: processes.env, hooks: queuedHook('slow', body) });
    const { operator } = rig;
    await rig.put('slow', '1');
    await until(() => expect(processes.pids('sleep')).toHaveLength(2));
    const [stopped = 0] = processes.pids('spawner-process');

    process.kill(stopped, 'SIGSTOP');
    await rig.put('a', '1');

    await until(async () => {
      const response = await fetch(`${operator.url()}/readyz`);
      expect(response.status).toBe(503);
      expect(await response.text()).toContain('spawner');
    });
    // 5 s without an answer, the end of the interrupted run, and up to 2 s until it is retried.
    await within(10_000, () => expect(operator.runs('slow.sh')).toHaveLength(2));
    await rig.caughtUp();
    await until(() => expect(processes.pids('sleep')).toEqual([]));
    expect(processes.pids('spawner-process')).not.toContain(stopped);
    expect(operator.lines.filter(({ message }) => message === 'spawner process ended')).toEqual([
      { level: 'error', message: 'spawner process ended', fields: { reason: 'no answer for 5 s' } },
    ]);
    expect(await (await fetch(`${operator.url()}/metrics`)).text()).toMatch(
      /^shell_operator_spawner_restarts_total 1$/m,
    );
    expect((await fetch(`${operator.url()}/readyz`)).status).toBe(200);
  });

  it.each([
    ['idle', undefined],
    ['with a run', 'sleep 600'],
  ])('and is %s holds up the end of the operator by 8 s at most', async (_what, body) => {
    const processes = markProcesses();
    const config = { configVersion: 'v1', kubernetes: [bindingTo('x')] };
    await using rig = await startFaultRig({
      env: processes.env,
      hooks: { 'hook.sh': recordingHook(config, body) },
      operator: { gracePeriodMs: GRACE_MS },
    });
    if (body !== undefined) {
      await rig.put('x', '1');
      await until(() => expect(processes.pids('sleep')).toHaveLength(1));
    }
    for (const pid of processes.pids('spawner-process')) process.kill(pid, 'SIGSTOP');

    let hasEnded = false;
    const stopping = rig.operator.stop().then(() => (hasEnded = true));

    await within(8000 + GRACE_MS, () => expect(hasEnded).toBe(true));
    await stopping;
    await until(() => expect(processes.pids()).toEqual([]));
  });
});
