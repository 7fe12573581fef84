import { describe, expect, it } from 'vitest';
import { builtInKinds } from '../../src/cli/built-in-kinds.ts';
import { resourcesAmong } from '../../src/rights/known-resource.ts';
import { operationNeeds, SEEN_VERBS, type SeenOperation } from '../../src/rights/operation-needs.ts';

const find = resourcesAmong(builtInKinds());
const seen = { hook: 'a.sh', target: { kind: 'Deployment' }, namespace: 'a', subresource: '', count: 2 } as const;

function rights(operation: SeenOperation): readonly string[] {
  return operationNeeds(operation, find).map(({ verb, resource, namespace }) => `${verb} ${resource} @${namespace}`);
}

describe('an operation needs the rights of all its branches:', () => {
  it.each([
    ['Create', ['create deployments @a']],
    ['CreateIfNotExists', ['create deployments @a']],
    ['CreateOrUpdate', ['create deployments @a', 'update deployments @a', 'get deployments @a']],
    ['Delete', ['delete deployments @a', 'get deployments @a']],
    ['DeleteInBackground', ['delete deployments @a']],
    ['DeleteNonCascading', ['delete deployments @a']],
    ['MergePatch', ['patch deployments @a']],
    ['JSONPatch', ['patch deployments @a']],
    ['JQPatch', ['update deployments @a', 'get deployments @a']],
    ['Apply', ['create deployments @a', 'patch deployments @a']],
    ['Status', ['patch deployments/status @a', 'get deployments @a']],
    ['Event', ['create events @a', 'patch events @a']],
    ['Record', ['patch deployments @a', 'get deployments @a']],
  ] as const)('%s', (verb, expected) => {
    expect(rights({ ...seen, verb })).toEqual(expected);
  });

  it('there is no other', () => {
    expect(SEEN_VERBS).toHaveLength(13);
  });

  it('a subresource is a resource of its own, and a cluster-scoped object has no namespace', () => {
    expect(rights({ ...seen, verb: 'MergePatch', subresource: 'scale' })).toEqual(['patch deployments/scale @a']);
    expect(rights({ ...seen, verb: 'Apply', subresource: 'status' })).toEqual(['patch deployments/status @a']);
    expect(rights({ ...seen, verb: 'JQPatch', subresource: 'status' })).toEqual([
      'update deployments/status @a',
      'get deployments @a',
    ]);
    expect(rights({ ...seen, verb: 'MergePatch', target: { kind: 'Node' } })).toEqual(['patch nodes @']);
    expect(rights({ ...seen, verb: 'Event', target: { kind: 'Node' }, namespace: '' })).toEqual([
      'create events @default',
      'patch events @default',
    ]);
  });
});
