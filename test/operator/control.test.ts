import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import { controlClient } from '../../src/cli/control/client.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { recordingHook, sandboxCluster, startOperator, until } from '../support/operator-rig.ts';

const NEVER_NOW = '0 0 1 1 *';
const schedule = { configVersion: 'v1', schedule: [{ name: 'nightly', crontab: NEVER_NOW }] };
const NIGHTLY = '/schedules/db%2Fbackup.sh/nightly';
/** A test starts two operators, on a machine that may be busy. */
const LIMIT_MS = 120_000;
// Long times, so that a busy machine does not lose the lease.
const leaderElection = { leaseName: 'hooklet', leaseDurationMs: 60_000, renewDeadlineMs: 40_000, retryPeriodMs: 200 };

function socketIn(): string {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  return join(folder.path, 'hooklet.socket');
}

describe('the control socket of an operator', { timeout: LIMIT_MS }, () => {
  it('lists schedules, runs one now, and suspends and resumes it', async () => {
    const sandbox = await sandboxForTest();
    const path = socketIn();
    const client = controlClient(path);
    await using operator = startOperator({
      connect: sandboxCluster(sandbox),
      hooks: { 'db/backup.sh': recordingHook(schedule) },
      operator: { controlSocket: { path, isRequired: true } },
    });
    const first = async () => {
      const { schedules } = await client.ask('GET', '/schedules');
      return Array.isArray(schedules) ? (schedules[0] as Readonly<Record<string, unknown>>) : {};
    };
    await until(async () => expect(await first()).toMatchObject({ hook: 'db/backup.sh', next: expect.any(String) }));

    const { runId } = await client.ask('POST', `${NIGHTLY}/trigger`);
    await until(async () => expect(await first()).toMatchObject({ runId, outcome: 'succeeded' }));
    expect(operator.contexts('backup.sh')).toMatchObject([{ binding: 'nightly', type: 'Schedule' }]);

    await client.ask('POST', `${NIGHTLY}/suspend`);
    const suspended = await first();
    expect(suspended).toMatchObject({ suspended: true });
    expect(suspended).not.toHaveProperty('next');
    await client.ask('POST', `${NIGHTLY}/resume`);
    expect(await first()).toMatchObject({ suspended: false, next: expect.any(String) });

    await expect(client.ask('POST', '/schedules/db%2Fbackup.sh/nigthly/trigger')).rejects.toThrow('nightly');
    await operator.stop();
    expect(existsSync(path)).toBe(false);
  });

  it('of a replica that stands by changes nothing, and says whom to ask', async () => {
    const sandbox = await sandboxForTest();
    const hooks = { 'db/backup.sh': recordingHook(schedule) };
    const connect = sandboxCluster(sandbox);
    await using leader = startOperator({ connect, hooks, env: { POD_NAME: 'pod-1' }, operator: { leaderElection } });
    await until(() => expect(leader.lines.map(({ message }) => message)).toContain('leading'));
    const path = socketIn();
    const operator = { leaderElection, controlSocket: { path, isRequired: true } };
    await using standby = startOperator({ connect, hooks, env: { POD_NAME: 'pod-2' }, operator });
    await until(() => expect(standby.lines.map(({ message }) => message)).toContain('hook loaded'));
    await until(() => expect(standby.lines.map(({ message }) => message)).toContain('standing by'));

    const asked = controlClient(path).ask('POST', `${NIGHTLY}/trigger`);

    await expect(asked).rejects.toThrow(/stands by, pod-1_[-0-9a-f]+ leads; .*kubectl exec pod-1 -- hooklet status/);
    expect(await controlClient(path).ask('GET', '/schedules')).toMatchObject({
      schedules: [{ hook: 'db/backup.sh' }],
      note: expect.stringContaining('pod-1'),
    });
  });
});
