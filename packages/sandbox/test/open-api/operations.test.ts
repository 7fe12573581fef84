import { expect, it } from 'vitest';
import { operationPaths } from '../../src/open-api/operations.ts';
import { KINDS } from './open-api-kinds.ts';

it('a path names its operations, and what a write may ask for', () => {
  const paths = operationPaths(KINDS, (name) => name);

  expect(paths['/apis/example.com/v1/namespaces/{namespace}/widgets/{name}']).toMatchObject({
    get: { parameters: [], 'x-kubernetes-action': 'get' },
    patch: {
      parameters: ['dryRun', 'fieldManager', 'fieldValidation', 'force'],
      'x-kubernetes-group-version-kind': { group: 'example.com', version: 'v1', kind: 'Widget' },
    },
  });
  expect(Object.keys(paths)).toContain('/api/v1/nodes/{name}');
});
