import { beforeEach, describe, expect, it, vi } from 'vitest';
import { PARENT_LABEL } from '../../../src/hook/reconcile-mark.ts';
import { reconcilerRig } from './reconciler-rig.ts';

describe('the children and watched objects of a reconcile binding', () => {
  beforeEach(() => {
    vi.useFakeTimers();
    return () => vi.useRealTimers();
  });

  it('looks at the parent of a child that changes or is deleted, and shows each parent its own children', async () => {
    const { reconciler, parents, children, sync, take, trigger, childOf } = reconcilerRig();
    await parents.put({ name: 'a' });
    await parents.put({ name: 'b' });
    await children.put(childOf('a', 'z'));
    await children.put(childOf('a', 'c'));
    sync();
    reconciler.enable();
    take();
    await children.put(childOf('b', 'd'));
    await children.put({ ...childOf('a', 'c'), status: 1 });
    await children.put(childOf('nobody', 'e'));
    expect(take()).toEqual(['b: child', 'a: child']);
    const namesOf = (name: string) =>
      reconciler
        .view(trigger(name))
        ?.owned.get('Deployment.apps')
        ?.map((item) => item.name);
    expect([namesOf('a'), namesOf('b')]).toEqual([['c', 'z'], ['d']]);

    children.delete('z');
    await children.put(childOf('b', 'c'));

    expect(take()).toEqual(['a: child', 'a: child', 'b: child']);
    expect([namesOf('a'), namesOf('b')]).toEqual([[], ['c', 'd']]);
  });

  it('looks at the parents that a watched object is for, and at those that it was for before', async () => {
    const { reconciler, parents, content, sync, take, trigger } = reconcilerRig();
    for (const name of ['a', 'b', 'c']) await parents.put({ name });
    await content.put({ name: 'text', for: 'a' });
    sync();
    reconciler.enable();
    take();

    await content.put({ name: 'text', for: ['b', 'default/c', 'other/a'] });

    expect(take()).toEqual(['a: watched', 'b: watched', 'c: watched']);
    const shown = ['a', 'b'].map((name) => reconciler.view(trigger(name))?.watched.get('content')?.length);
    expect(shown).toEqual([0, 1]);
    content.delete('text');
    expect(take()).toEqual(['b: watched', 'c: watched']);
  });

  it('looks at all parents for an object that is for *, and shows it to each', async () => {
    const { reconciler, parents, content, sync, take, trigger } = reconcilerRig();
    for (const name of ['a', 'b']) await parents.put({ name });
    sync();
    reconciler.enable();
    take();

    await content.put({ name: 'text', for: ['*', 'a'] });

    expect(take()).toEqual(['a: watched', 'b: watched']);
    const shown = ['a', 'b'].map((name) => reconciler.view(trigger(name))?.watched.get('content')?.length);
    expect(shown).toEqual([1, 1]);
    await parents.put({ name: 'c' });
    expect(reconciler.view(trigger('c'))?.watched.get('content')).toHaveLength(1);
  });

  it('keeps an object whose `for` fails with the parents it was for, and a new one is for nobody', async () => {
    const { reconciler, parents, content, sync, take, trigger } = reconcilerRig();
    await parents.put({ name: 'a' });
    await content.put({ name: 'text', for: 'a' });
    sync();
    reconciler.enable();
    take();

    await content.put({ name: 'text', for: { a: 1 } });

    expect(take()).toEqual(['a: watched']);
    expect(content.monitor.item({ namespace: 'default', name: 'text' })?.filterError).toBe(
      'for: got {"a":1}, expected a name, namespace/name, "*" for all, a list of at most 1000 of these, or null',
    );
    expect(
      reconciler
        .view(trigger('a'))
        ?.watched.get('content')
        ?.map(({ name }) => name),
    ).toEqual(['text']);
    await content.put({ name: 'other', for: 'a/b/c' });
    expect(take()).toEqual([]);
    await content.put({ name: 'text', for: null });
    expect(take()).toEqual(['a: watched']);
    expect(reconciler.view(trigger('a'))?.watched.get('content')).toEqual([]);
  });

  describe('of which a run has made a child', () => {
    const made = async (): Promise<ReturnType<typeof reconcilerRig>> => {
      const rig = reconcilerRig();
      for (const name of ['a', 'b']) await rig.parents.put({ name });
      rig.sync();
      rig.reconciler.enable();
      rig.take();
      return rig;
    };
    const place = { namespace: 'default', name: 'a' };
    const child = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'default', name: 'web' };

    it('looks at its parent again after the next list alone, where that does not show it', async () => {
      const { reconciler, children, take } = await made();

      reconciler.made(place, [child], reconciler.childLists);
      expect(take()).toEqual([]);
      for (let list = 0; list < 3; list++) children.listed();

      expect(take()).toEqual(['a: child']);
    });

    it('does not where the watch or the list shows it, or where it is of a kind that is not owned', async () => {
      const { reconciler, children, take } = await made();

      reconciler.made(
        place,
        [child, { ...child, kind: 'Other' }, { ...child, apiVersion: 'other/v1' }],
        reconciler.childLists,
      );
      await children.put({ name: 'web', labels: { [PARENT_LABEL]: 'uid-of-a' } });
      expect(take()).toEqual(['a: child']);
      children.listed();
      reconciler.made(place, [child], reconciler.childLists);
      children.listed();

      expect(take()).toEqual([]);
    });

    it('looks at its parent at once where a list came while the child was made, and after the next one', async () => {
      const { reconciler, children, take } = await made();
      const lists = reconciler.childLists;
      children.listed();

      reconciler.made(place, [child], lists);

      expect(take()).toEqual(['a: child']);
      children.listed();
      expect(take()).toEqual(['a: child']);
    });
  });
});
