import { beforeEach, describe, expect, it, vi } from 'vitest';
import { reconcilerRig } from './reconciler-rig.ts';

describe('a reconcile binding at work', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    return () => vi.useRealTimers();
  });

  it('looks at every parent once at the start, when all lists are complete', async () => {
    const { reconciler, parents, children, content, take, told } = reconcilerRig();
    await parents.put({ name: 'a' });
    await parents.put({ name: 'b' });
    parents.synced();
    content.synced();
    expect(reconciler.isSynced).toBe(false);
    children.synced();
    expect([reconciler.isSynced, told]).toEqual([true, ['synced']]);
    await parents.put({ name: 'a', spec: 2 });
    expect(take()).toEqual([]);

    reconciler.enable();

    expect(take()).toEqual(['a: start', 'b: start']);
  });

  it('keeps tasks back while a kind is missing, and emits them when it is there again', async () => {
    const { reconciler, parents, children, sync, take, trigger } = reconcilerRig();
    await parents.put({ name: 'a' });
    sync();
    reconciler.enable();
    take();
    expect(reconciler.hold(trigger('a'))).toBe(false);

    children.status = { isSynced: true, isMissing: true };
    expect([reconciler.hold(trigger('a')), reconciler.hold(trigger('a'))]).toEqual([true, true]);
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(take()).toEqual([]);
    children.status = { isSynced: true };
    await vi.advanceTimersByTimeAsync(1000);

    expect(take()).toEqual(['a: changed']);
  });

  describe('with an optional kind', () => {
    const optional = (): ReturnType<typeof reconcilerRig> =>
      reconcilerRig({
        owns: [
          {
            kind: 'Deployment',
            apiVersion: 'apps/v1',
            isOptional: true,
            onChange: 'Apply',
            otherNamespaces: false,
            keepFullObjectsInMemory: true,
          },
        ],
      });

    it('is synced once all other kinds are listed and that one is absent, and holds nothing back', async () => {
      const { reconciler, parents, children, content, told, take, trigger } = optional();
      await parents.put({ name: 'a' });
      for (const one of [parents, content]) one.synced();
      expect(reconciler.isSynced).toBe(false);

      for (let asked = 0; asked < 3; asked++) children.absent();

      expect(told).toEqual(['synced']);
      reconciler.enable();
      expect(take()).toEqual(['a: start']);
      expect(reconciler.hold(trigger('a'))).toBe(false);
      expect(reconciler.view(trigger('a'))?.owned.get('Deployment.apps')).toEqual([]);
    });

    it('looks at each parent again when it comes, but not before its objects are listed', async () => {
      const { reconciler, parents, children, content, take } = optional();
      for (const name of ['a', 'b']) await parents.put({ name });
      for (const one of [parents, content]) one.synced();
      children.absent();
      reconciler.enable();
      take();

      children.status = { isSynced: false, isReturning: true };
      expect(take()).toEqual([]);
      children.returned();

      expect(take()).toEqual(['a: child', 'b: child']);
    });

    it('works on while the kind that came cannot be listed, such as without the right to', async () => {
      const { reconciler, parents, children, content, trigger } = optional();
      await parents.put({ name: 'a' });
      for (const one of [parents, content]) one.synced();
      children.absent();
      reconciler.enable();

      children.status = { isSynced: false, isReturning: true, problem: 'widgets is forbidden' };

      expect(reconciler.hold(trigger('a'))).toBe(false);
    });

    it('holds all back while a kind that was listed before is there again, until it is listed', async () => {
      const { reconciler, parents, children, sync, take, trigger } = optional();
      await parents.put({ name: 'a' });
      sync();
      children.absent();
      reconciler.enable();
      take();

      children.status = { isSynced: true, isReturning: true };
      expect(reconciler.hold(trigger('a'))).toBe(true);
      children.returned();

      expect(take()).toEqual(['a: child']);
      await vi.advanceTimersByTimeAsync(1000);
      expect(take()).toEqual(['a: changed']);
      expect(reconciler.hold(trigger('a'))).toBe(false);
    });

    it('holds all back where it is not known whether the kind is there', async () => {
      const { reconciler, parents, children, sync, trigger } = optional();
      await parents.put({ name: 'a' });
      sync();
      reconciler.enable();

      children.status = { isSynced: true, isMissing: true };
      expect(reconciler.hold(trigger('a'))).toBe(true);
      children.status = { isSynced: true, isMissing: true, isAbsent: true };
      expect(reconciler.hold(trigger('b'))).toBe(false);
    });
  });
});
