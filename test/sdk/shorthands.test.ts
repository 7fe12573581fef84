import { describe, expect, it } from 'vitest';
import { condition, event, ownedBy } from '../../src/sdk/index.ts';
import { Patch } from '../../src/sdk/patch.ts';

const parent = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace: 'shop', uid: 'u-1' } };

describe('ownedBy', () => {
  it('makes the entry of the one owner that manages', () => {
    expect(ownedBy(parent)).toEqual({ apiVersion: 'v1', kind: 'Pod', name: 'web', uid: 'u-1', controller: true });
  });

  it('makes that of another owner', () => {
    const owner = ownedBy(parent, { controller: false, blockOwnerDeletion: true });

    expect(owner).toMatchObject({ controller: false, blockOwnerDeletion: true });
  });

  it('refuses a parent that the API server does not have', () => {
    expect(() => ownedBy({ kind: 'Pod', metadata: { name: 'web' } })).toThrow(
      'ownedBy: the parent has no apiVersion, metadata.uid; expected an object as the API server has it',
    );
  });
});

describe('condition', () => {
  it.each([
    [true, 'True'],
    [false, 'False'],
    ['Unknown', 'Unknown'],
  ] as const)('takes %s', (given, status) => {
    expect(condition('Ready', given, 'Done', 'all is there')).toEqual({
      type: 'Ready',
      status,
      reason: 'Done',
      message: 'all is there',
    });
  });
});

describe('event', () => {
  it('is about the object of the context, or of another', () => {
    expect(event('Normal', 'Copied')).toEqual({ type: 'Normal', reason: 'Copied' });
    expect(event('Warning', 'Late', 'by 1h', parent)).toEqual({
      type: 'Warning',
      reason: 'Late',
      message: 'by 1h',
      object: { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'web' },
    });
  });

  it('refuses to be about an object without a name', () => {
    expect(() => event('Normal', 'Copied', '', { kind: 'Pod' })).toThrow('event: the object that it is about has no');
  });
});

describe('patch.status', () => {
  it('merges fields into the status', () => {
    const patch = new Patch();
    patch.status(parent, { phase: 'Done', old: null }, { ignoreMissingObject: true });

    expect(JSON.parse(patch.toString())).toEqual({
      operation: 'MergePatch',
      apiVersion: 'v1',
      kind: 'Pod',
      namespace: 'shop',
      name: 'web',
      subresource: 'status',
      mergePatch: { status: { phase: 'Done', old: null } },
      ignoreMissingObject: true,
    });
  });
});
