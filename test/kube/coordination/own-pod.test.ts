import { describe, expect, it } from 'vitest';
import { ownNamespace, ownPod } from '../../../src/kube/coordination/own-pod.ts';

describe('ownPod', () => {
  it('is the Pod that the downward API names', () => {
    const env = { POD_NAME: 'hooklet-1', POD_NAMESPACE: 'tools', POD_UID: 'u-1' };

    expect(ownPod(env, 'other')).toEqual({ name: 'hooklet-1', namespace: 'tools', uid: 'u-1' });
  });

  it('takes the namespace of the service account where POD_NAMESPACE is not set', () => {
    expect(ownPod({ POD_NAME: 'hooklet-1' }, 'tools')).toEqual({ name: 'hooklet-1', namespace: 'tools' });
  });

  it.each([[{}], [{ POD_NAME: '', POD_NAMESPACE: 'tools' }]])('is unknown without a name: %j', (env) => {
    expect(ownPod(env, 'tools')).toBeUndefined();
  });
});

describe('ownNamespace', () => {
  it.each([
    [{ POD_NAMESPACE: 'pod' }, 'context', 'pod'],
    [{ POD_NAMESPACE: '' }, 'context', 'context'],
    [{}, undefined, 'default'],
  ])('of %j and the context %j is %j', (env, context, expected) => {
    expect(ownNamespace(env, context)).toBe(expected);
  });
});
