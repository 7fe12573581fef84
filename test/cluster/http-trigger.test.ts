import { describe, expect, it } from 'vitest';
import { recordingHook, startOperator } from '../support/operator-rig.ts';
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
});
