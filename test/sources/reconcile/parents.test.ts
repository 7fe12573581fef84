import { beforeEach, describe, expect, it, vi } from 'vitest';
import { finalizerOf, MARK_LABEL, reconcileMark } from '../../../src/hook/reconcile-mark.ts';
import { reconcilerRig } from './reconciler-rig.ts';

describe('the parents of a reconcile binding', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    return () => vi.useRealTimers();
  });

  it('looks at a parent when it changes, but not for its status, its finalizer or its versions', async () => {
    const { binding, reconciler, parents, sync, take } = reconcilerRig();
    await parents.put({ name: 'a', spec: 1 });
    sync();
    reconciler.enable();
    take();

    await parents.put({ name: 'a', spec: 1, status: { ready: true } });
    await parents.put({ name: 'a', spec: 1, finalizers: [finalizerOf(binding)] });
    expect(take()).toEqual([]);
    await parents.put({ name: 'a', spec: 2, finalizers: [finalizerOf(binding)] });
    await parents.put({ name: 'a', spec: 2, finalizers: [finalizerOf(binding)], deletionTimestamp: '2026-01-01' });
    await parents.put({ name: 'new' });

    expect(take()).toEqual(['a: changed', 'a: deleted', 'new: changed']);
  });

  it('has nothing to run for a parent that is gone, or is being deleted without our finalizer', async () => {
    const { reconciler, parents, sync, take, trigger } = reconcilerRig();
    await parents.put({ name: 'a' });
    await parents.put({ name: 'b' });
    sync();
    reconciler.enable();
    take();

    await parents.put({ name: 'a', finalizers: ['other'], deletionTimestamp: '2026-01-01' });
    parents.delete('b');

    expect(take()).toEqual([]);
    expect(['a', 'b'].map((name) => reconciler.isMoot(trigger(name)))).toEqual([true, true]);
    expect(reconciler.view(trigger('b'))).toBeUndefined();
  });

  it('has nothing to run for a parent that was let go, however late its watch is, but for one of its name', async () => {
    const { binding, reconciler, parents, sync, take, trigger } = reconcilerRig();
    const finalizers = [finalizerOf(binding)];
    const deletionTimestamp = '2026-01-01';
    await parents.put({ name: 'a', finalizers, deletionTimestamp });
    sync();
    reconciler.enable();
    take();

    const uid = reconciler.facts(trigger('a'))?.uid ?? '';
    reconciler.letGo(trigger('a'), 'another');
    expect(reconciler.isMoot(trigger('a'))).toBe(false);
    reconciler.letGo(trigger('a'), uid);
    expect(reconciler.isMoot(trigger('a'))).toBe(true);
    await parents.put({ name: 'a', spec: 2, finalizers, deletionTimestamp });
    expect([reconciler.lookAgain(), take(), reconciler.isMoot(trigger('a'))]).toEqual([1, [], true]);

    parents.delete('a');
    await parents.put({ name: 'a', uid: 'new', finalizers, deletionTimestamp });
    expect(reconciler.isMoot(trigger('a'))).toBe(false);
  });

  it('does not take its own children for parents where it owns the kind of its parents', () => {
    const owned = { onChange: 'Apply', otherNamespaces: true, keepFullObjectsInMemory: true } as const;
    const kind = { kind: 'WebSite', apiVersion: 'example.com/v1' };
    const { binding, parents } = reconcilerRig({
      ...kind,
      owns: [
        { ...kind, ...owned },
        { kind: 'Deployment', apiVersion: 'apps/v1', ...owned },
      ],
      labelSelector: { matchLabels: { app: 'web' } },
    });

    expect(parents.part.binding.labelSelector).toEqual({
      matchLabels: { app: 'web' },
      matchExpressions: [{ key: MARK_LABEL, operator: 'NotIn', values: [reconcileMark(binding)] }],
    });
  });

  it('releases a parent that leaves its selection, but not while its kind is missing', async () => {
    const { binding, reconciler, parents, sync, told } = reconcilerRig();
    for (const name of ['a', 'b']) await parents.put({ name, finalizers: [finalizerOf(binding)] });
    sync();
    reconciler.enable();

    parents.delete('a');
    await vi.advanceTimersByTimeAsync(0);
    parents.status = { isSynced: true, isMissing: true };
    parents.delete('b');
    await vi.advanceTimersByTimeAsync(60_000);

    expect(told).toEqual(['synced', 'released a']);
  });

  it('leaves a parent alone that is given up, until it changes or is run by hand', async () => {
    const { reconciler, parents, children, sync, take, trigger, childOf } = reconcilerRig({ resyncPeriodMs: 60_000 });
    await parents.put({ name: 'a', spec: 1 });
    sync();
    reconciler.enable();
    take();

    reconciler.giveUp(trigger('a'));
    await children.put(childOf('a', 'x'));
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(take()).toEqual([]);
    await parents.put({ name: 'a', spec: 2 });
    await children.put(childOf('a', 'y'));
    expect(take()).toEqual(['a: changed', 'a: child']);

    reconciler.giveUp(trigger('a'));
    reconciler.view(trigger('a'));
    await children.put(childOf('a', 'z'));
    expect(take()).toEqual(['a: child']);
  });
});
