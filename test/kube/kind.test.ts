import { expect, it } from 'vitest';

import { resourcePath, type ResourceKind, type ResourceLocation } from '../../src/kube/kind.ts';

const pods: ResourceKind = {
  group: '',
  version: 'v1',
  apiVersion: 'v1',
  kind: 'Pod',
  plural: 'pods',
  singular: 'pod',
  shortNames: ['po'],
  isNamespaced: true,
  verbs: ['get', 'list', 'watch'],
  subresources: ['status'],
};
const deployments = { ...pods, group: 'apps', apiVersion: 'apps/v1', kind: 'Deployment', plural: 'deployments' };
const nodes = { ...pods, kind: 'Node', plural: 'nodes', isNamespaced: false };

it.each<[ResourceKind, ResourceLocation, string]>([
  [pods, {}, '/api/v1/pods'],
  [pods, { namespace: '' }, '/api/v1/pods'],
  [pods, { namespace: 'a' }, '/api/v1/namespaces/a/pods'],
  [pods, { namespace: 'a', name: 'b' }, '/api/v1/namespaces/a/pods/b'],
  [pods, { namespace: 'a', name: 'b', subresource: 'status' }, '/api/v1/namespaces/a/pods/b/status'],
  [pods, { namespace: 'a', name: 'b', subresource: '/status' }, '/api/v1/namespaces/a/pods/b/status'],
  [deployments, { namespace: 'a', name: 'b' }, '/apis/apps/v1/namespaces/a/deployments/b'],
  [nodes, { namespace: 'a', name: 'b' }, '/api/v1/nodes/b'],
  [nodes, { name: 'system:x y' }, '/api/v1/nodes/system%3Ax%20y'],
])('the path of %o at %j is %s', (kind, location, path) => {
  expect(resourcePath(kind, location)).toBe(path);
});
