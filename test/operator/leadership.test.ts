import { describe, expect, it } from 'vitest';
import { isJsonObject, type Sandbox } from '@hooklet/sandbox';
import { objectsAt, sandboxForTest } from '@hooklet/sandbox/testing';
import { LeaseLostError } from '../../src/errors.ts';
import type { ElectionStatus } from '../../src/kube/coordination/leader-election.ts';
import { refusalNow } from '../../src/operator/leadership.ts';
import { recordingHook, sandboxCluster, startOperator, until, type OperatorRig } from '../support/operator-rig.ts';

const LEASE = '/apis/coordination.k8s.io/v1/namespaces/default/leases/hooklet';
/** A test starts two operators, on a machine that may be busy. */
const LIMIT_MS = 120_000;
// Long times, so that a busy machine does not lose the lease.
const leaderElection = { leaseName: 'hooklet', leaseDurationMs: 60_000, renewDeadlineMs: 40_000, retryPeriodMs: 200 };
const onStartup = { configVersion: 'v1', onStartup: 1 };

function replica(sandbox: Sandbox, name: string, hooks: Readonly<Record<string, string>>): OperatorRig {
  const env = { POD_NAME: name, POD_NAMESPACE: 'default', POD_UID: 'u-1' };
  // A test that waits for the grace period fails by its own time limit.
  const operator = { leaderElection, killAfterMs: 200, gracePeriodMs: 60_000 };
  return startOperator({ connect: sandboxCluster(sandbox), hooks, operator, env });
}

async function readiness(rig: OperatorRig): Promise<string> {
  const response = await fetch(`${rig.url()}/readyz?verbose`);
  return `${response.status} ${await response.text()}`;
}

it('a replica whose lease ended while it stood still refuses what comes before it has noticed', () => {
  const stale: { status: ElectionStatus } = { status: { type: 'leading' } };

  expect(refusalNow({ ...stale, check: () => {} })).toBeUndefined();
  expect(refusalNow(Object.assign(stale, { check: () => void (stale.status = { type: 'lost' }) }))).toBe(
    'this replica lost the lease and is stopping',
  );
});

describe('replicas with leader election', { timeout: LIMIT_MS }, () => {
  it('only the leader runs hooks; the other is ready, says who leads, and takes over when it ends', async () => {
    const sandbox = await sandboxForTest();
    await using first = replica(sandbox, 'first', { 'a.sh': recordingHook(onStartup) });
    await until(() => expect(first.runs('a.sh')).toHaveLength(1));
    await using second = replica(sandbox, 'second', { 'a.sh': recordingHook(onStartup) });
    await until(() => expect(second.lines.map(({ message }) => message)).toContain('standing by'));
    await until(async () =>
      expect(await readiness(second)).toMatch(/^200 \[\+\]leader-election ok: standing by, .*_[-0-9a-f]+ leads\n/),
    );
    await until(() => expect(second.lines.map(({ message }) => message)).toContain('hook loaded'));
    await until(async () =>
      expect(await readiness(first)).toMatch(/^200 \[\+\]leader-election ok: leading\n\[\+\]startup ok/),
    );
    expect(second.runs('a.sh')).toEqual([]);

    await first.stop();

    await until(() => expect(second.runs('a.sh')).toHaveLength(1));
    expect(first.lines.map(({ message }) => message)).toContain('lease released');
  });

  it('a standby with a broken hook is not ready', async () => {
    const sandbox = await sandboxForTest();
    await using first = replica(sandbox, 'first', {});
    await until(() => expect(first.lines.map(({ message }) => message)).toContain('leading'));
    const broken = { configVersion: 'v1', schedule: [{ crontab: '0 0 31 2 *' }] };
    await using second = replica(sandbox, 'second', { 'bad.sh': recordingHook(broken) });

    await until(async () =>
      expect(await readiness(second)).toMatch(/^503 [^]*\[-\]hook bad\.sh: .*its config has 1 problem/),
    );
  });

  it('who loses the lease ends its hooks at once, applies nothing more, and ends with an error', async () => {
    const sandbox = await sandboxForTest();
    const patch = { operation: 'Create', object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'late' } } };
    const body = `echo '${JSON.stringify(patch)}' > "$KUBERNETES_PATCH_PATH"
trap 'touch "$OUT/terminated"; exit 0' TERM
sleep 30 & wait`;
    const leader = replica(sandbox, 'leader', { 'a.sh': recordingHook(onStartup, body) });
    await until(() => expect(leader.runs('a.sh')).toHaveLength(1));

    await sandbox.call('PATCH', LEASE, { spec: { holderIdentity: 'other' } }, 'application/merge-patch+json');
    const notAgain = 'hook failed while shutting down, it is not run again';
    await until(() => expect(leader.lines.map(({ message }) => message)).toContain(notAgain));
    const failure = await leader.stop().catch((error: unknown) => error);

    expect(failure).toBeInstanceOf(LeaseLostError);
    expect(failure).toMatchObject({ message: expect.stringContaining('other holds it now') });
    expect((await sandbox.call('GET', '/api/v1/namespaces/default/configmaps/late')).code).toBe(404);
    await Promise.resolve(leader[Symbol.asyncDispose]()).catch(() => {});
  });

  it('tells of its election and of hooks in trouble by Events about its Pod', async () => {
    const sandbox = await sandboxForTest();
    const hooks = {
      'bad.sh': recordingHook({ configVersion: 'v1', schedule: [{ crontab: 'nonsense' }] }),
      'failing.sh': recordingHook(onStartup, 'echo "no space left" >&2; exit 3'),
    };
    await using _ = replica(sandbox, 'hooklet-1', hooks);

    await until(async () => {
      const { body } = await sandbox.call('GET', '/api/v1/namespaces/default/events');
      const events = objectsAt(isJsonObject(body) ? body : {}, 'items');
      expect(events).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ reason: 'LeaderElected', type: 'Normal' }),
          expect.objectContaining({ reason: 'HookBroken', message: expect.stringContaining('bad.sh') }),
          expect.objectContaining({ reason: 'HookFailed', message: expect.stringContaining('exit code 3') }),
        ]),
      );
    });
  });
});
