import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startSandbox } from '@hooklet/sandbox';
import { sandboxForTest } from '@hooklet/sandbox/testing';
import { describe, expect, it } from 'vitest';
import { LOCK_LABEL } from '../../src/kube/coordination/lock-words.ts';
import { Lock } from '../../src/kube/coordination/lock.ts';
import { lockTimes } from '../../src/kube/coordination/lock-times.ts';
import { inProcessClient } from '../support/in-process-client.ts';
import { never } from '../support/hook-rig.ts';
import { recordingHook, sandboxCluster, startOperator, until } from '../support/operator-rig.ts';
import { within } from '../support/within.ts';

const every = (lock: unknown, more: object = {}) => ({
  configVersion: 'v1',
  schedule: [{ name: 'often', crontab: '* * * * * *', concurrency: 'skip', lock, ...more }],
});

/** Runs until the test writes `go`; says when it begins and ends. */
const HELD = `echo "$0 in" >> "$OUT/order"
until [ -e "$OUT/go" ]; do sleep 0.02; done
echo "$0 out" >> "$OUT/order"`;

describe('a hook with a lock', () => {
  it('runs while the Lease names its Pod and run, and frees it at the end', async () => {
    const sandbox = await sandboxForTest();
    const client = inProcessClient(sandbox);
    await using operator = startOperator({
      connect: sandboxCluster(sandbox),
      hooks: { 'backup.sh': recordingHook({ configVersion: 'v1', onStartup: { order: 1, lock: 'nightly' } }, HELD) },
      env: { POD_NAME: 'web-0', POD_NAMESPACE: 'default' },
    });
    const path = '/apis/coordination.k8s.io/v1/namespaces/default/leases/nightly';

    await until(() => expect(operator.contexts('backup.sh')).toHaveLength(1));
    expect(await client.request({ method: 'GET', path }, never)).toMatchObject({
      metadata: { labels: { [LOCK_LABEL]: 'true' } },
      spec: { holderIdentity: expect.stringMatching(/^web-0_[0-9a-f-]{36}$/), leaseDurationSeconds: 30 },
    });
    writeFileSync(join(operator.out, 'go'), '');
    await until(async () =>
      expect(await client.request({ method: 'GET', path }, never)).toMatchObject({ spec: { holderIdentity: '' } }),
    );
  });

  it('that somebody else holds waits without a start, without an attempt, and runs soon after the release', async () => {
    const sandbox = await sandboxForTest();
    const other = new Lock({ client: inProcessClient(sandbox), namespace: 'default', name: 'nightly' });
    const answer = await other.take('laptop_1', never);
    if (answer.type !== 'taken') throw new Error(answer.type);
    await using operator = startOperator({
      connect: sandboxCluster(sandbox),
      hooks: { 'backup.sh': recordingHook(every('nightly')) },
      env: { POD_NAMESPACE: 'default' },
    });

    const lines = () => operator.lines.filter(({ message }) => message === 'hook is to be run again later');
    await until(() => expect(lines()).toHaveLength(1));
    expect(lines()[0]?.fields).toMatchObject({
      attempt: 1,
      reason: 'LockHeld',
      message: expect.stringMatching(/^the lock default\/nightly is held by laptop_1 since 20\S+Z \(\d+s\)$/),
    });
    expect(operator.contexts('backup.sh')).toEqual([]);
    await answer.held.release();
    await until(() => expect(operator.contexts('backup.sh').length).toBeGreaterThan(0), 20_000);
    expect(lines()).toHaveLength(1);
  });

  it('waits with its Synchronization too: it is looked at once, and runs within 5 s of the release', async () => {
    const sandbox = await sandboxForTest();
    const other = new Lock({ client: inProcessClient(sandbox), namespace: 'default', name: 'nightly' });
    const answer = await other.take('laptop_1', never);
    if (answer.type !== 'taken') throw new Error(answer.type);
    const maps = { name: 'maps', apiVersion: 'v1', kind: 'ConfigMap', lock: 'nightly' };
    await using operator = startOperator({
      connect: sandboxCluster(sandbox),
      hooks: { 'backup.sh': recordingHook({ configVersion: 'v1', kubernetes: [maps] }) },
      env: { POD_NAMESPACE: 'default' },
    });
    const waits = () => operator.lines.filter(({ fields }) => fields['reason'] === 'LockHeld');
    const taken = async () => (await fetch(`${operator.url()}/metrics`)).text();
    await until(() => expect(waits()).toHaveLength(1));
    await until(async () => expect(await taken()).toMatch(/lock_waiting_tasks\{[^}]*lock="default\/nightly"[^}]*\} 1/));

    await answer.held.release();

    await within(5000, () => expect(operator.contexts('backup.sh')).toMatchObject([{ type: 'Synchronization' }]));
    expect(waits()).toHaveLength(1);
  });

  it('whose lock is taken away is ended, and fails with LockLost', async () => {
    const sandbox = await sandboxForTest();
    const client = inProcessClient(sandbox);
    await using operator = startOperator({
      connect: sandboxCluster(sandbox),
      hooks: { 'backup.sh': recordingHook(every('nightly'), HELD) },
      env: { POD_NAMESPACE: 'default' },
      operator: { lockTimes: lockTimes(3000) },
    });
    await until(() => expect(operator.contexts('backup.sh')).toHaveLength(1));
    const path = '/apis/coordination.k8s.io/v1/namespaces/default/leases/nightly';
    const body = JSON.stringify({ spec: { holderIdentity: 'thief', leaseDurationSeconds: 3600 } });
    await client.request({ method: 'PATCH', path, body, contentType: 'application/merge-patch+json' }, never);

    const failed = () => operator.lines.filter(({ fields }) => fields['reason'] === 'LockLost');
    await until(() => expect(failed()).toHaveLength(1));
    expect(failed()[0]?.fields['err']).toMatchObject({
      code: 'ERR_LOCK_LOST',
      message: 'the lock default/nightly is lost: thief took it',
    });
  });

  it('whose Lease is forbidden has the missing rule in the log, and runs once it is granted', async () => {
    let isAllowed = false;
    await using sandbox = await startSandbox({ authorize: ({ resource }) => isAllowed || resource !== 'leases' });
    await using operator = startOperator({
      connect: sandboxCluster(sandbox),
      hooks: { 'backup.sh': recordingHook(every('nightly')) },
      env: { POD_NAMESPACE: 'default' },
    });
    const failures = () => operator.lines.map(({ fields: { reason, err } }) => ({ reason, said: String(err) }));
    const said = expect.stringMatching(/a Role in the namespace default needs the rule .*leases.*get, create, update/);
    await until(() => expect(failures()).toContainEqual({ reason: 'LockUnavailable', said }), 20_000);
    expect(operator.contexts('backup.sh')).toEqual([]);

    isAllowed = true;

    await until(() => expect(operator.contexts('backup.sh').length).toBeGreaterThan(0), 20_000);
  });

  it('runs in turns with another hook of the same lock: 6 runs, never two at once', async () => {
    const sandbox = await sandboxForTest();
    const body = `echo in >> "$OUT/order"; sleep 0.05; echo out >> "$OUT/order"`;
    await using operator = startOperator({
      connect: sandboxCluster(sandbox),
      hooks: {
        'a.sh': recordingHook(every('nightly', { queue: 'a' }), body),
        'b.sh': recordingHook(every('nightly', { queue: 'b' }), body),
      },
      env: { POD_NAMESPACE: 'default' },
    });

    await until(() => {
      expect(operator.runs('a.sh').length).toBeGreaterThanOrEqual(3);
      expect(operator.runs('b.sh').length).toBeGreaterThanOrEqual(3);
    });
    await operator.stop();
    const order = readFileSync(join(operator.out, 'order'), 'utf8').trim().split('\n');
    expect(order.filter((word, index) => word !== (index % 2 === 0 ? 'in' : 'out'))).toEqual([]);
  });
});
