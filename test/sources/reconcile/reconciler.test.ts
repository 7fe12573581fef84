import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openFilters } from '../../../src/filter/filters.ts';
import type { KubernetesBinding, ReconcileBinding } from '../../../src/hook/binding.ts';
import { finalizerOf, MARK_LABEL, PARENT_LABEL, reconcileMark } from '../../../src/hook/reconcile-mark.ts';
import type { ReconcileTrigger, SnapshotItem } from '../../../src/hook/trigger.ts';
import { readObject } from '../../../src/kube/object.ts';
import { aborted } from '../../../src/lib/aborted.ts';
import type { MonitorListener, MonitorStatus } from '../../../src/sources/kubernetes/monitor.ts';
import type { Part } from '../../../src/sources/reconcile/parts.ts';
import { Reconciler } from '../../../src/sources/reconcile/reconciler.ts';
import { reconcileBinding } from '../../support/bindings.ts';

interface Made {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly deletionTimestamp?: string;
  readonly [field: string]: unknown;
}

/** An object whose fields that are no metadata are beside them. */
function objectOf({ name, namespace = 'default', labels, finalizers, deletionTimestamp, ...fields }: Made) {
  const uid = `uid-of-${name}`;
  return { metadata: { name, namespace, uid, labels, finalizers, deletionTimestamp }, ...fields };
}

class Followed {
  readonly part: Part;
  readonly #listener: MonitorListener;
  readonly #items = new Map<string, SnapshotItem>();
  status: MonitorStatus = { isSynced: false };
  #isListed = false;

  constructor(part: Part, listener: MonitorListener) {
    this.part = part;
    this.#listener = listener;
  }

  readonly monitor = {
    run: aborted,
    snapshot: () => [...this.#items.values()],
    item: ({ namespace, name }: { readonly namespace: string; readonly name: string }) =>
      this.#items.get(`${namespace}/${name}`),
    status: () => this.status,
  };

  synced(): void {
    this.status = { isSynced: true };
    this.#isListed = true;
    this.#listener.synced();
  }

  /** Discovery says that there is no such kind. */
  absent(): void {
    this.status = { isSynced: true, isMissing: true, isAbsent: true };
    this.#listener.absent?.();
  }

  /** The kind is there, and its objects are listed. */
  returned(): void {
    const isFirst = !this.#isListed;
    this.status = { isSynced: true };
    if (isFirst) this.synced();
    this.#listener.returned?.();
  }

  async put(made: Made): Promise<void> {
    const value = JSON.parse(JSON.stringify(objectOf(made)));
    const json = Buffer.from(JSON.stringify(value));
    const { result, error } = await this.part.filter.apply(readObject(value, () => json));
    const { name, namespace = 'default' } = made;
    const item = { namespace, name, object: json, filterResult: result, ...(error && { filterError: error }) };
    const before = this.#items.get(`${namespace}/${name}`);
    this.#items.set(`${namespace}/${name}`, item);
    if (!this.status.isSynced || before?.filterResult === result) return;
    this.#event(before === undefined ? 'Added' : 'Modified', item);
  }

  delete(name: string): void {
    const item = this.#items.get(`default/${name}`);
    if (item === undefined) throw new Error(`no object ${name}`);
    this.#items.delete(`default/${name}`);
    this.#event('Deleted', item);
  }

  /** The watch has begun anew, with a list. */
  listed(): void {
    this.#listener.listed?.();
  }

  #event(watchEvent: 'Added' | 'Modified' | 'Deleted', item: SnapshotItem): void {
    this.#listener.event({ type: 'event', binding: this.part.binding, watchEvent, item });
  }
}

function reconcilerRig(fields: Partial<ReconcileBinding> = {}) {
  const binding = reconcileBinding('sites', {
    owns: [
      {
        kind: 'Deployment',
        apiVersion: 'apps/v1',
        onChange: 'Apply',
        otherNamespaces: false,
        keepFullObjectsInMemory: true,
      },
    ],
    watches: [
      {
        name: 'content',
        kind: 'ConfigMap',
        apiVersion: 'v1',
        for: { type: 'jq', expression: '.for' },
        keepFullObjectsInMemory: true,
      },
    ],
    ...fields,
  });
  const filters = openFilters();
  const followed = new Map<string, Followed>();
  const emitted: ReconcileTrigger[] = [];
  const told: string[] = [];
  const reconciler = new Reconciler(binding, {
    compile: (filter) => filters.compile(filter),
    createMonitor: (part, listener) => {
      const one = new Followed(part, listener);
      followed.set(part.binding.name, one);
      return one.monitor;
    },
    emit: (trigger) => {
      if (trigger.type === 'reconcile') emitted.push(trigger);
    },
    onSynced: () => void told.push('synced'),
    release: async ({ name }) => void told.push(`released ${name}`),
    onProblem: (part: KubernetesBinding, error) => void told.push(`${part.name}: ${String(error)}`),
    now: Date.now,
  });
  const controller = new AbortController();
  const ended = reconciler.run(controller.signal);
  onTestFinished(async () => {
    controller.abort();
    filters.end();
    await ended;
  });
  const of = (name: string): Followed => {
    const one = followed.get(name);
    if (one === undefined) throw new Error(`nothing called ${name}`);
    return one;
  };
  return {
    binding,
    reconciler,
    told,
    parents: of('sites'),
    children: of('sites/Deployment.apps'),
    content: of('sites/content'),
    sync: () => {
      for (const one of followed.values()) one.synced();
    },
    /** What was emitted since the last call, as `name: reason`. */
    take: () => emitted.splice(0).map(({ name, reason }) => `${name}: ${reason}`),
    takeTriggers: () => emitted.splice(0),
    trigger: (name: string): ReconcileTrigger => ({
      type: 'reconcile',
      binding,
      namespace: 'default',
      name,
      reason: 'changed',
    }),
    childOf: (parent: string, name: string): Made => ({
      name,
      labels: { [MARK_LABEL]: reconcileMark(binding), [PARENT_LABEL]: `uid-of-${parent}` },
    }),
  };
}

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

  it('lets an object rest, and looks at it within 1 s of the end of its rest', async () => {
    const { reconciler, parents, sync, take, trigger } = reconcilerRig();
    await parents.put({ name: 'a' });
    sync();
    reconciler.enable();
    take();

    reconciler.rest(trigger('a'), 5000);
    expect(reconciler.hold(trigger('a'))).toBe(true);
    await vi.advanceTimersByTimeAsync(4999);
    expect(take()).toEqual([]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(take()).toEqual(['a: changed']);
    expect(reconciler.hold(trigger('a'))).toBe(false);
  });

  it('sets no timer while no object has to wait', async () => {
    const { reconciler, parents, sync, trigger } = reconcilerRig();
    await parents.put({ name: 'a' });
    sync();
    reconciler.enable();
    await vi.advanceTimersByTimeAsync(0);
    expect(vi.getTimerCount()).toBe(0);

    reconciler.rest(trigger('a'), 5000);
    await vi.advanceTimersByTimeAsync(0);
    expect(vi.getTimerCount()).toBe(1);
    await vi.advanceTimersByTimeAsync(6000);
    expect(vi.getTimerCount()).toBe(0);
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

  it('spreads the resyncs after the start over the whole period, and looks at each object within it', async () => {
    const { reconciler, parents, sync, takeTriggers } = reconcilerRig({ resyncPeriodMs: 600_000 });
    const count = 500;
    for (let index = 0; index < count; index++) await parents.put({ name: `site-${index}` });
    sync();
    reconciler.enable();
    for (const trigger of takeTriggers()) reconciler.view(trigger);

    const perTenth: number[] = [];
    for (let tenth = 0; tenth < 10; tenth++) {
      await vi.advanceTimersByTimeAsync(60_000);
      perTenth.push(takeTriggers().length);
    }

    expect(perTenth.reduce((sum, one) => sum + one)).toBe(count);
    for (const one of perTenth) expect(one).toBeGreaterThan(25);
  });

  it('does not look at an object again that ran since', async () => {
    const { reconciler, parents, sync, take, trigger } = reconcilerRig({ resyncPeriodMs: 600_000 });
    await parents.put({ name: 'a' });
    sync();
    reconciler.enable();
    take();

    for (let minute = 0; minute < 60; minute += 5) {
      reconciler.view(trigger('a'));
      await vi.advanceTimersByTimeAsync(300_000);
    }

    expect(take()).toEqual([]);
  });
});
