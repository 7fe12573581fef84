import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { connect, textOf } from '@hooklet/sandbox/conformance';
import { startClusterFaultRig, type ClusterFaultOptions, type ClusterFaultRig } from '../support/fault-cluster-rig.ts';
import { until } from './operator-rig.ts';
import { sharedControlPlane } from './shared-control-plane.ts';

const plane = sharedControlPlane();
let count = 0;

async function startRig(options: Partial<ClusterFaultOptions> = {}) {
  count += 1;
  const rig = await startClusterFaultRig({ plane, namespace: `faults-${count}`, ...options });
  await rig.put('a', '0');
  await rig.put('b', '0');
  return rig;
}

/** Makes changes that must not be missed while the operator gets no events. */
async function changeThings(rig: ClusterFaultRig): Promise<void> {
  await rig.put('a', '1');
  await rig.put('a', '2');
  await rig.remove('b');
  await rig.put('b', 'another');
  await rig.put('c', '1');
}

describe('on a real API server, an operator', { timeout: 240_000 }, () => {
  it('whose connections are cut goes on from the last version within 3 s of their return', async () => {
    await using rig = await startRig();
    await rig.caughtUp();

    rig.relay.refuse(true);
    rig.relay.cut();
    await changeThings(rig);
    rig.relay.refuse(false);

    await rig.caughtUpWithin(3000);
    expect(Object.keys(await rig.restarts())).toEqual(['connection']);
  });

  it('whose connection is half open has its events within 5 s', async () => {
    await using rig = await startRig();
    await rig.caughtUp();

    rig.relay.freeze();
    await changeThings(rig);

    await rig.caughtUpWithin(5000);
    expect(Object.keys(await rig.restarts())).toEqual(['connection']);
  });

  it('goes on within 3 s when the API server was killed and started again', async () => {
    await using rig = await startRig();
    await rig.caughtUp();

    await plane.killApiserver();
    await plane.startApiserver();
    await changeThings(rig);

    await rig.caughtUpWithin(3000);
  });

  it('lists again within 3 s when its position was compacted away', async () => {
    await using rig = await startRig();
    await rig.caughtUp();

    rig.relay.refuse(true);
    rig.relay.cut();
    await plane.killApiserver();
    await plane.startApiserver();
    await changeThings(rig);
    await plane.compactEtcd();
    rig.relay.refuse(false);

    await rig.caughtUpWithin(3000);
  });

  it('waits for an API server that is down at boot, and goes on within 3 s when it is there', async () => {
    await using rig = await startRig({ before: (relay) => relay.refuse(true) });
    await until(() => expect(rig.operator.lines.map(({ level }) => level)).toContain('warn'));

    rig.relay.refuse(false);

    await rig.caughtUpWithin(3000);
  });

  it('takes up a new certificate of the server within 3 s', async () => {
    await using rig = await startRig();
    await rig.caughtUp();

    await rig.replaceGateway();
    await changeThings(rig);

    await rig.caughtUpWithin(3000);
    expect(Object.keys(await rig.restarts())).toEqual(['connection']);
  });

  it('takes up a token that was rotated within 3 s', async () => {
    const accounts = '/api/v1/namespaces/default/serviceaccounts';
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'rotated' } };
    const admin = connect({
      url: plane.url,
      ca: plane.ca,
      token: plane.tokenOf('admin'),
    });
    const newToken = async (): Promise<string> => {
      await admin.delete(`${accounts}/rotated`);
      await admin.post(accounts, account);
      const { body } = await admin.post(`${accounts}/rotated/token`, {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: {},
      });
      return textOf(body['status']?.['token']);
    };
    await admin.post('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'rotated' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', name: 'rotated', namespace: 'default' }],
    });
    await using rig = await startRig({ token: await newToken() });
    await rig.caughtUp();

    // The account of the old token is deleted, which makes the token invalid.
    writeFileSync(rig.tokenFile, await newToken());
    rig.relay.cut();
    await changeThings(rig);

    await rig.caughtUpWithin(3000);
  });

  it('goes on within 3 s when a right that was taken away is given again', async () => {
    await using rig = await startRig({ token: plane.tokenOf('reader') });
    const roles = `/apis/rbac.authorization.k8s.io/v1/namespaces/${rig.namespace}`;
    const role = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'reader' },
      rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list', 'watch'] }],
    };
    await rig.api.post(`${roles}/roles`, role);
    await rig.api.post(`${roles}/rolebindings`, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'reader' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
      subjects: [{ kind: 'User', name: 'reader' }],
    });
    await rig.caughtUp();

    await rig.api.delete(`${roles}/roles/reader`);
    rig.relay.cut();
    await changeThings(rig);
    await until(async () => expect((await rig.restarts())['denied']).toBeGreaterThan(2));
    await rig.api.post(`${roles}/roles`, role);

    await rig.caughtUpWithin(3000);
  });
});
