import { describe, expect, it } from 'vitest';
import { apiPath, isApiPath } from '../../src/kube/api-path.ts';

describe('apiPath', () => {
  it('joins segments and escapes what is in them', () => {
    expect(apiPath('api', 'v1', 'nodes', 'a b:c?d#e')).toBe('/api/v1/nodes/a%20b%3Ac%3Fd%23e');
  });

  it.each(['.', '..', 'a/b', '/', '..%2f', '%2e%2e', '', 'x'.repeat(1025)])('refuses the segment %j', (segment) => {
    expect(() => apiPath('api', 'v1', 'namespaces', segment, 'pods')).toThrow('is not allowed in a request path');
  });

  it('takes what only looks like them', () => {
    expect(apiPath('...', '.a', 'a..b')).toBe('/.../.a/a..b');
  });
});

it.each<[string, boolean]>([
  ['/api/v1/namespaces/a%3Ab', true],
  ['/api', true],
  ['api/v1', false],
  ['/api/v1/../nodes', false],
  ['/api/v1/namespaces/%2e%2E/pods', false],
  ['/api/v1/namespaces/a%2Fb', false],
  ['/api/v1/namespaces/a%252fb', false],
  ['/api/v1/namespaces//pods', false],
  ['/api/v1/namespaces/%', false],
])('whether %s is a path to send is %s', (path, isOne) => {
  expect(isApiPath(path)).toBe(isOne);
});
