import { describe, expect, it, vi } from 'vitest';

import { readObject, type KubeObject } from '../../../src/kube/object.ts';
import type { Watches } from '../../../src/kube/watch/shared-watches.ts';
import { Store } from '../../../src/kube/watch/store.ts';
import { Observation } from '../../../src/sources/kubernetes/observation.ts';
import { CONFIG_MAP, kubeObject, type ObjectSpec } from '../../support/kube-objects.ts';

const object = (spec: ObjectSpec): KubeObject => readObject(kubeObject(spec), () => new Uint8Array(0));

/** An observation that a store feeds as a shared watch does; its view shows `data` as the filterResult. */
function observing({ hasFilter = true, delay }: { hasFilter?: boolean; delay?: Promise<void> } = {}) {
  const told: string[] = [];
  const subscriptions = { open: 0, relists: 0 };
  const watches: Watches = {
    subscribe() {
      subscriptions.open++;
      return {
        lastContactAtMs: 7,
        relist: () => subscriptions.relists++,
        unsubscribe: () => subscriptions.open--,
      };
    },
    ended: async () => {},
  };
  const observation = new Observation({
    watches,
    keepsObjects: false,
    hasFilter,
    view: ({ namespace, name }, { value }) => {
      const item = { namespace, name, filterResult: JSON.stringify(value['data'] ?? null) };
      return value['data'] === 'slow' && delay !== undefined ? delay.then(() => item) : item;
    },
    metrics: {
      filtered: () => {},
      filterFailed: () => {},
      handled: () => told.push('timed'),
      suppressed: () => {},
      snapshotSize: () => {},
      remove: () => {},
    },
    listener: {
      observed: (events) => {
        told.push(
          ...Array.from(
            events,
            ({ watchEvent, item, isSame }) => `${watchEvent} ${item.name} ${item.filterResult}${isSame ? ' same' : ''}`,
          ),
        );
      },
      failed: () => told.push('failed'),
      recovered: () => told.push('recovered'),
    },
  });
  let store = new Store();
  const list = (...specs: readonly ObjectSpec[]): void => {
    store.beginList();
    observation.listStarted();
    for (const spec of specs) {
      const { record, isKnown } = store.listObject(object(spec));
      if (!isKnown) observation.listed(record, object(spec));
    }
    observation.listDone(store.endList());
  };
  return {
    list,
    observation,
    subscriptions,
    told,
    apply: (spec: ObjectSpec) => {
      for (const change of store.apply(object(spec))) observation.changed(change);
    },
    remove: (spec: ObjectSpec) => {
      for (const change of store.delete(object(spec))) observation.changed(change);
    },
    /** Changes to another target. */
    move: () => {
      store = new Store();
      observation.watch({ kind: CONFIG_MAP });
    },
  };
}

describe('Observation', () => {
  it('sees a first list as Added', () => {
    const { list, observation, told } = observing();

    list({ name: 'b', data: 1 }, { name: 'a' });

    expect(told).toEqual(['Added a null', 'Added b 1']);
    expect(observation.isSynced).toBe(true);
  });

  it.each([
    { law: 'a change of the filter result is told', hasFilter: true, data: 2, told: 'Modified a 2' },
    { law: 'no change of the filter result is marked', hasFilter: true, data: 1, told: 'Modified a 1 same' },
    { law: 'without a filter every version is new', hasFilter: false, data: 1, told: 'Modified a 1' },
  ])('$law', ({ hasFilter, data, told: expected }) => {
    const { apply, list, told } = observing({ hasFilter });
    list({ name: 'a', data: 1 });

    apply({ name: 'a', version: 2, data });

    expect(told.slice(1)).toEqual([expected, 'timed']);
  });

  it('shows the newest state also after a change that was the same', () => {
    const { apply, list, observation } = observing({ hasFilter: false });
    list({ name: 'a', data: 1 });

    apply({ name: 'a', version: 2, data: 2 });

    expect(observation.items()).toEqual([{ namespace: 'default', name: 'a', filterResult: '2' }]);
  });

  it('filters the last state of what is deleted', () => {
    const { list, remove, told } = observing();
    list({ name: 'a', data: 1 });

    remove({ name: 'a', version: 2, data: 2 });

    expect(told.slice(1)).toEqual(['Deleted a 2', 'timed']);
  });

  it('tells of a list what is gone first, then what differs', () => {
    const { list, told } = observing();
    list({ name: 'gone', data: 1 }, { name: 'kept' }, { name: 'renewed', uid: 'u1' });

    list({ name: 'kept' }, { name: 'new' }, { name: 'renewed', uid: 'u2' });

    expect(told.slice(3)).toEqual(['Deleted gone 1', 'Deleted renewed null', 'Added new null', 'Added renewed null']);
  });

  it('shows the old state until a list is complete', () => {
    const { list, observation } = observing();
    list({ name: 'a' });
    const incoming = object({ name: 'b' });

    observation.listStarted();
    observation.listed({ ...incoming, json: undefined }, incoming);

    expect(observation.items().map(({ name }) => name)).toEqual(['a']);
  });

  it('forgets a list that did not come to its end', () => {
    const { list, observation } = observing();
    const lost = object({ name: 'lost' });
    observation.listStarted();
    observation.listed({ ...lost, json: undefined }, lost);

    list({ name: 'a' });

    expect(observation.items().map(({ name }) => name)).toEqual(['a']);
  });

  it('keeps its objects when it moves to another target, and tells what differs there', () => {
    const { list, move, told } = observing();
    list({ name: 'a', data: 1 }, { name: 'b', data: 1 }, { name: 'c' });
    move();

    list({ name: 'a', version: 7, data: 1 }, { name: 'b', version: 7, data: 2 }, { name: 'd' });

    expect(told.slice(3)).toEqual(['Deleted c null', 'Modified a 1 same', 'Modified b 2', 'Added d null']);
  });

  it('holds one subscription at most', () => {
    const { move, observation, subscriptions } = observing();
    move();
    move();
    observation.relist();
    const { lastContactAtMs } = observation;
    const { open } = subscriptions;

    observation.end();
    observation.end();

    expect([open, subscriptions, lastContactAtMs]).toEqual([1, { open: 0, relists: 1 }, 7]);
  });

  it('deletes everything when it is cleared, and troubles nobody any more', () => {
    const { list, observation, told } = observing();
    list({ name: 'a' });

    observation.clear();

    expect(told.slice(1)).toEqual(['recovered', 'Deleted a null']);
    expect(observation.size).toBe(0);
  });
});

describe('an Observation with a filter that takes long on one object', () => {
  it('is synced when that has ended, and has all objects then', async () => {
    const slow = Promise.withResolvers<void>();
    const { list, observation, told } = observing({ delay: slow.promise });
    list({ name: 'a', data: 'slow' }, { name: 'b', data: 1 });
    expect(observation.isSynced).toBe(false);
    expect(told).toEqual(['Added b 1']);

    slow.resolve();
    await vi.waitUntil(() => observation.isSynced);

    expect(observation.items().map(({ name }) => name)).toEqual(['a', 'b']);
  });

  it('tells of all others meanwhile, and of its own changes in their order', async () => {
    const slow = Promise.withResolvers<void>();
    const { apply, list, remove, told } = observing({ delay: slow.promise });
    list({ name: 'a', data: 0 }, { name: 'b', data: 0 });
    told.length = 0;

    apply({ name: 'a', version: 2, data: 'slow' });
    apply({ name: 'b', version: 2, data: 1 });
    remove({ name: 'a', version: 3, data: 2 });
    apply({ name: 'a', version: 4, uid: 'u2', data: 3 });
    expect(told.filter((line) => line !== 'timed')).toEqual(['Modified b 1']);
    slow.resolve();
    await vi.waitUntil(() => told.includes('Added a 3'));

    expect(told.filter((line) => line !== 'timed').slice(1)).toEqual(['Modified a "slow"', 'Deleted a 2', 'Added a 3']);
  });

  it('lets a later list wait behind it too', async () => {
    const slow = Promise.withResolvers<void>();
    const { apply, list, observation, told } = observing({ delay: slow.promise });
    list({ name: 'a', data: 0 }, { name: 'gone', data: 0 });
    told.length = 0;

    apply({ name: 'a', version: 2, data: 'slow' });
    list({ name: 'a', version: 3, data: 1 });
    expect(told.filter((line) => line !== 'timed')).toEqual(['Deleted gone 0']);
    slow.resolve();
    await vi.waitUntil(() => told.includes('Modified a 1'));

    expect(told.filter((line) => line !== 'timed')).toEqual(['Deleted gone 0', 'Modified a "slow"', 'Modified a 1']);
    expect(observation.items()).toMatchObject([{ name: 'a', filterResult: '1' }]);
  });

  it('tells nothing of it when the target is gone', async () => {
    const slow = Promise.withResolvers<void>();
    const { list, observation, told } = observing({ delay: slow.promise });
    list({ name: 'a', data: 'slow' });
    observation.end();
    observation.clear();
    slow.resolve();
    await slow.promise;
    await Promise.resolve();

    expect(told).toEqual(['recovered']);
    expect(observation.items()).toEqual([]);
  });
});
