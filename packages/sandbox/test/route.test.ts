import { describe, expect, it } from 'vitest';
import { Kinds } from '../src/kinds.ts';
import { findRoute, resourcePath } from '../src/route.ts';

const kinds = new Kinds();

function route(method: string, url: string): unknown {
  const { pathname, searchParams } = new URL(url, 'http://sandbox');
  const found = findRoute(kinds, method, pathname, searchParams);
  if (found.type !== 'resource') return found.type;
  const { kind, namespace, name, subresource } = found.target;
  return [found.verb, kind.plural, namespace, name, subresource];
}

describe('routes', () => {
  it.each([
    ['GET', '/api', 'root'],
    ['GET', '/apis/', 'root'],
    ['GET', '/api/v1', 'groupVersion'],
    ['GET', '/apis/apps', 'group'],
    ['GET', '/apis/apps/v1', 'groupVersion'],
    ['GET', '/apis/nope.io/v1', 'other'],
    ['GET', '/healthz', 'other'],
    ['GET', '/api/v1/pods', ['list', 'pods', '', '', '']],
    ['GET', '/api/v1/pods?watch=1', ['watch', 'pods', '', '', '']],
    ['GET', '/api/v1/watch/pods', ['watch', 'pods', '', '', '']],
    ['GET', '/api/v1/namespaces/n/pods', ['list', 'pods', 'n', '', '']],
    ['POST', '/api/v1/namespaces/n/pods', ['create', 'pods', 'n', '', '']],
    ['DELETE', '/api/v1/namespaces/n/pods', ['deletecollection', 'pods', 'n', '', '']],
    ['GET', '/api/v1/namespaces/n/pods/p?watch=1', ['get', 'pods', 'n', 'p', '']],
    ['PUT', '/api/v1/namespaces/n/pods/p/status', ['update', 'pods', 'n', 'p', 'status']],
    ['POST', '/api/v1/namespaces/n/pods/p/eviction', ['create', 'pods', 'n', 'p', 'eviction']],
    ['GET', '/api/v1/namespaces/n', ['get', 'namespaces', '', 'n', '']],
    ['PATCH', '/api/v1/namespaces/n/status', ['patch', 'namespaces', '', 'n', 'status']],
    ['GET', '/apis/rbac.authorization.k8s.io/v1/clusterroles/a%3Ab', ['get', 'clusterroles', '', 'a:b', '']],
  ])('%s %s', (method, url, expected) => {
    expect(route(method, url)).toEqual(expected);
  });

  it.each([
    ['GET', '/api/v2', 404],
    ['GET', '/api/v1/nope', 404],
    ['GET', '/apis/apps/v9/deployments', 404],
    ['GET', '/api/v1/namespaces/n/nodes', 404],
    ['GET', '/api/v1/pods/p', 404],
    ['GET', '/api/v1/nodes/n/nope', 404],
    ['GET', '/api/v1/namespaces/n/pods/p/status/more', 404],
    ['POST', '/api/v1/pods', 405],
    ['DELETE', '/api/v1/pods', 405],
    ['POST', '/api/v1/namespaces/n/pods/p', 405],
    ['PATCH', '/api/v1/namespaces/n/pods', 405],
    ['DELETE', '/api/v1/namespaces', 405],
    ['GET', '/apis/authentication.k8s.io/v1/tokenreviews', 405],
    ['OPTIONS', '/api/v1/pods', 405],
  ])('%s %s is refused with %d', (method, url, code) => {
    expect(() => route(method, url)).toThrow(expect.objectContaining({ code }));
  });

  it('a path can be made of a kind, a namespace and a name', () => {
    const pods = kinds.find('', 'v1', 'pods');
    const roles = kinds.find('rbac.authorization.k8s.io', 'v1', 'clusterroles');

    expect(pods && resourcePath(pods, 'n', 'p')).toBe('/api/v1/namespaces/n/pods/p');
    expect(roles && resourcePath(roles, 'n', 'a:b')).toBe('/apis/rbac.authorization.k8s.io/v1/clusterroles/a%3Ab');
  });
});
