import { describe, expect, it } from 'vitest';
import type { AccessAttributes } from '../src/cluster.ts';
import { asking, sandboxForTest } from './support/sandbox.ts';

describe('paths beside the resources', () => {
  it.each(['/healthz', '/readyz', '/livez', '/readyz/ping'])('%s says ok', async (path) => {
    expect(await asking(await sandboxForTest())('GET', path)).toMatchObject({ status: 200, text: 'ok' });
  });

  it('the version is that of the API server it follows', async () => {
    expect((await asking(await sandboxForTest())('GET', '/version')).body).toMatchObject({ major: '1', minor: '35' });
  });

  it.each(['/nope', '/apis/nope.io', '/apis/nope.io/v1/things'])('%s is no page', async (path) => {
    expect(await asking(await sandboxForTest())('GET', path)).toMatchObject({
      status: 404,
      text: '404 page not found\n',
    });
  });
});

it('what nobody foresaw is an internal error', async () => {
  const authorize = (): boolean => {
    throw new Error('oops');
  };

  expect((await asking(await sandboxForTest({ authorize }))('GET', '/api')).body).toMatchObject({
    code: 500,
    reason: 'InternalError',
    message: 'Internal error occurred: oops',
  });
});

describe('authorization', () => {
  const denied = { authorize: () => false };

  it.each([
    [
      'GET',
      '/api/v1/namespaces/default/configmaps',
      'configmaps is forbidden: User "admin" cannot list resource "configmaps" in API group "" in the namespace "default"',
    ],
    [
      'GET',
      '/api/v1/configmaps?watch=1',
      'configmaps is forbidden: User "admin" cannot watch resource "configmaps" in API group "" at the cluster scope',
    ],
    [
      'GET',
      '/apis/apps/v1/namespaces/default/deployments/x',
      'deployments.apps "x" is forbidden: User "admin" cannot get resource "deployments" in API group "apps" in the namespace "default"',
    ],
    [
      'PATCH',
      '/apis/apps/v1/namespaces/default/deployments/x/status',
      'deployments.apps "x" is forbidden: User "admin" cannot patch resource "deployments/status" in API group "apps" in the namespace "default"',
    ],
    [
      'GET',
      '/api/v1/namespaces/default',
      'namespaces "default" is forbidden: User "admin" cannot get resource "namespaces" in API group "" in the namespace "default"',
    ],
    ['GET', '/metrics', 'forbidden: User "admin" cannot get path "/metrics"'],
  ])('%s %s is refused in the words of the API server', async (method, path, message) => {
    expect((await asking(await sandboxForTest(denied))(method, path)).body).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message,
    });
  });

  it('a reason is told', async () => {
    const sandbox = await sandboxForTest({ authorize: () => 'not today' });

    expect((await asking(sandbox)('GET', '/api/v1/pods')).text).toContain('at the cluster scope: not today');
  });

  it('what is denied can be granted later', async () => {
    let granted = false;
    const ask = asking(await sandboxForTest({ authorize: () => granted }));

    expect((await ask('GET', '/api/v1/pods')).status).toBe(403);
    granted = true;
    expect((await ask('GET', '/api/v1/pods')).status).toBe(200);
  });

  it('the decision is made on the words of RBAC', async () => {
    const seen: AccessAttributes[] = [];
    const sandbox = await sandboxForTest({ authorize: (attributes) => seen.push(attributes) > 0 });

    await asking(sandbox)('PUT', '/apis/apps/v1/namespaces/n/deployments/d/scale', {});

    expect(seen).toEqual([
      {
        user: 'admin',
        verb: 'update',
        group: 'apps',
        version: 'v1',
        resource: 'deployments',
        subresource: 'scale',
        namespace: 'n',
        name: 'd',
        path: '',
      },
    ]);
  });
});
