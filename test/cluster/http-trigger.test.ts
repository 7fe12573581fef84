import { writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Cluster } from '../../src/kube/credentials/cluster.ts';
import { loadCluster } from '../../src/kube/credentials/load-cluster.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { recordingHook, startOperator } from '../support/operator-rig.ts';
import { startWebhooks } from '../support/webhook-rig.ts';
import { clusterConfig } from './cluster-config.ts';
import { connectAs, handsOn, until, type Hands } from './operator-rig.ts';
import { sharedControlPlane } from './shared-control-plane.ts';

const plane = sharedControlPlane();
const LIMIT_MS = 180_000;
const RBAC = 'rbac.authorization.k8s.io';

/** A token of a new service account of the namespace. */
async function tokenOf({ call, namespace }: Hands, name: string): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  await call('POST', path, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } });
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 600 } };
  const answer = await call('POST', `${path}/${name}/token`, request);
  return String(Object(Object(answer).status).token);
}

/** Lets a service account trigger one hook. */
async function allow({ call, namespace }: Hands, account: string, hook: string): Promise<void> {
  const path = `/apis/${RBAC}/v1/namespaces/${namespace}`;
  const common = { apiVersion: `${RBAC}/v1`, metadata: { name: account } };
  const rules = [{ apiGroups: ['hooklet.dev'], resources: ['hooks'], resourceNames: [hook], verbs: ['trigger'] }];
  await call('POST', `${path}/roles`, { ...common, kind: 'Role', rules });
  const roleRef = { apiGroup: RBAC, kind: 'Role', name: account };
  const subjects = [{ kind: 'ServiceAccount', name: account, namespace }];
  await call('POST', `${path}/rolebindings`, { ...common, kind: 'RoleBinding', roleRef, subjects });
}

/** The operator as in a cluster: a service account with what docs/http.md asks for, and nothing else. */
async function operatorAccount(hands: Hands): Promise<() => Promise<Cluster>> {
  const { call, namespace } = hands;
  const token = await tokenOf(hands, 'hooklet');
  const subjects = [{ kind: 'ServiceAccount', name: 'hooklet', namespace }];
  const common = { apiVersion: `${RBAC}/v1`, metadata: { name: namespace } };
  const cluster = `/apis/${RBAC}/v1/clusterrolebindings`;
  const delegator = { apiGroup: RBAC, kind: 'ClusterRole', name: 'system:auth-delegator' };
  await call('POST', cluster, { ...common, kind: 'ClusterRoleBinding', roleRef: delegator, subjects });
  onTestFinished(async () => void (await call('DELETE', `${cluster}/${namespace}`)));
  const path = `/apis/${RBAC}/v1/namespaces/${namespace}`;
  const secrets = { apiGroups: [''], resources: ['secrets'] };
  const rules = [
    { ...secrets, resourceNames: ['test-webhook-certs'], verbs: ['get', 'list', 'watch', 'patch'] },
    { ...secrets, verbs: ['create'] },
  ];
  await call('POST', `${path}/roles`, { ...common, kind: 'Role', rules });
  const roleRef = { apiGroup: RBAC, kind: 'Role', name: namespace };
  await call('POST', `${path}/rolebindings`, { ...common, kind: 'RoleBinding', roleRef, subjects });
  return async () => {
    using folder = temporaryFolder();
    const kubeConfigPath = join(folder.path, 'kubeconfig');
    writeFileSync(kubeConfigPath, clusterConfig({ url: plane.url, ca: plane.ca, user: 'hooklet', token }));
    return await loadCluster({ env: {}, kubeConfigPath });
  };
}

/** Posts to the HTTPS port, with the authority that hooklet keeps in its Secret. */
async function postTls(port: number, path: string, { token, ca }: { readonly token: string; readonly ca: string }) {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number | undefined; body: string }>();
  const headers = { authorization: `Bearer ${token}` };
  const target = { host: '127.0.0.1', port, path, method: 'POST', headers, ca, agent: false } as const;
  const out = request({ ...target, checkServerIdentity: () => undefined }, (response) => {
    text(response).then((body) => resolve({ status: response.statusCode, body }), reject);
  });
  out.on('error', reject);
  out.end('hello');
  return promise;
}

describe('a request to an http binding, on a real API server', { timeout: LIMIT_MS }, () => {
  it('is taken from a service account that a Role allows this hook, and from no other', async () => {
    const hands = await handsOn(plane);
    const [ann, bob] = [await tokenOf(hands, 'ann'), await tokenOf(hands, 'bob')];
    await allow(hands, 'ann', 'ci/deploy.sh');
    const hook = recordingHook({ configVersion: 'v1', http: [{ name: 'deploy' }] });
    await using operator = startOperator({
      connect: connectAs(plane, 'admin'),
      hooks: { 'ci/deploy.sh': hook, 'ci/other.sh': hook },
      env: { POD_NAMESPACE: hands.namespace },
      operator: { httpTriggers: true },
    });
    await until(async () => expect((await fetch(`${operator.url()}/readyz`)).status).toBe(200));
    const post = async (token: string, name = 'ci/deploy.sh') => {
      const headers = { authorization: `Bearer ${token}` };
      const url = `${operator.url()}/trigger/${name}/deploy?wait=60s`;
      const response = await fetch(url, { method: 'POST', headers, body: 'hello' });
      return { status: response.status, body: await response.text() };
    };

    await until(async () => expect(await post(ann)).toMatchObject({ status: 200 }));
    expect(await post(ann, 'ci/other.sh')).toMatchObject({ status: 403 });
    expect(await post(bob)).toEqual({
      status: 403,
      body: expect.stringContaining(`system:serviceaccount:${hands.namespace}:bob may not trigger this hook`),
    });
    expect(await post(`${ann}x`)).toMatchObject({ status: 401 });

    expect(operator.runs('deploy.sh')).toHaveLength(1);
    expect(operator.contexts('deploy.sh')).toMatchObject([
      { type: 'Http', caller: `system:serviceaccount:${hands.namespace}:ann`, request: { body: 'hello' } },
    ]);
    expect(operator.contexts('other.sh')).toEqual([]);
    const told = JSON.stringify([operator.lines, operator.contexts('deploy.sh')]);
    for (const token of [ann, bob]) expect(told).not.toContain(token);
  });

  it('is taken over HTTPS by an operator with no other rights than the documented ones', async () => {
    const hands = await handsOn(plane);
    const { call, namespace } = hands;
    const [ann, bob] = [await tokenOf(hands, 'ann'), await tokenOf(hands, 'bob')];
    await allow(hands, 'ann', 'a.sh');
    await using operator = await startWebhooks({
      connect: await operatorAccount(hands),
      hooks: { 'a.sh': recordingHook({ configVersion: 'v1', http: [{ name: 'deploy' }] }) },
      env: { POD_NAMESPACE: namespace },
      settings: { certificates: { type: 'self' }, url: '' },
    });
    const authority = async (): Promise<string> => {
      const secret = Object(await call('GET', `/api/v1/namespaces/${namespace}/secrets/test-webhook-certs`));
      return Buffer.from(String(secret.data['ca.crt']), 'base64').toString('utf8');
    };
    const post = async (token: string) =>
      postTls(operator.port, '/trigger/a.sh/deploy?wait=60s', { token, ca: await authority() });

    await until(async () => expect(await post(ann)).toMatchObject({ status: 200 }));
    expect(await post(bob)).toMatchObject({ status: 403 });
    expect(await post(`${ann}x`)).toMatchObject({ status: 401 });
    expect(operator.contexts('a.sh')).toMatchObject([{ caller: `system:serviceaccount:${namespace}:ann` }]);
    expect(JSON.stringify(operator.lines)).not.toContain('is forbidden');
  });
});
