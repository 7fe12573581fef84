import { describe, expect, it } from 'vitest';

import type { WatchTarget } from '../../../src/kube/watch/list-watch.ts';
import { readObject } from '../../../src/kube/object.ts';
import type { WatchSubscriber } from '../../../src/kube/watch/shared-watch.ts';
import { Observations } from '../../../src/sources/kubernetes/observations.ts';
import { CONFIG_MAP, kubeObject, resourceKind } from '../../support/kube-objects.ts';

function observationsOf() {
  const told: string[] = [];
  const subscribers = new Map<string, WatchSubscriber>();
  const describeTarget = ({ kind, namespace = '*' }: WatchTarget): string => `${kind.apiVersion} ${namespace}`;
  const observations = new Observations(() => ({
    watches: {
      subscribe(target, subscriber) {
        const key = describeTarget(target);
        told.push(`+ ${key}`);
        subscribers.set(key, subscriber);
        return { lastContactAtMs: 1, relist: () => {}, unsubscribe: () => told.push(`- ${key}`) };
      },
      ended: async () => {},
    },
    keepsObjects: false,
    hasFilter: false,
    view: ({ namespace, name }) => ({ namespace, name }),
    metrics: { filtered() {}, filterFailed() {}, handled() {}, suppressed() {}, snapshotSize() {}, remove() {} },
    listener: {
      observed: (events) => {
        observations.changed();
        for (const { watchEvent, item } of events) told.push(`${watchEvent} ${item.namespace}/${item.name}`);
      },
      failed: () => {},
      recovered: () => {},
    },
  }));
  const list = (key: string, ...places: readonly (readonly [string, string])[]): void => {
    const subscriber = subscribers.get(key);
    subscriber?.listStarted();
    for (const [namespace, name] of places) {
      const object = readObject(kubeObject({ namespace, name }), () => new Uint8Array(0));
      subscriber?.listed({ ...object, json: undefined }, object);
    }
    subscriber?.listDone([]);
  };
  return { list, observations, told };
}

const target = (namespace: string, kind = CONFIG_MAP): WatchTarget => ({ kind, namespace });

describe('Observations', () => {
  it('observes what is new and lets go what is no longer wanted, new ones first', () => {
    const { list, observations, told } = observationsOf();
    observations.observe([target('a'), target('b')]);
    list('v1 a', ['a', 'x']);
    told.length = 0;

    observations.observe([target('b'), target('c')]);

    expect(told).toEqual(['+ v1 c', '- v1 a', 'Deleted a/x']);
  });

  it('moves an observation whose kind has another version now', () => {
    const { list, observations, told } = observationsOf();
    observations.observe([target('a')]);
    list('v1 a', ['a', 'x']);
    told.length = 0;

    observations.observe([target('a', resourceKind('ConfigMap', { version: 'v2' }))]);

    expect(told).toEqual(['- v1 a', '+ v2 a']);
    expect(observations.size).toBe(1);
  });

  it('is synced when all are', () => {
    const { list, observations } = observationsOf();
    observations.observe([target('a'), target('b')]);
    const synced = [observations.isSynced];
    for (const key of ['v1 b', 'v1 a']) {
      list(key);
      synced.push(observations.isSynced);
    }

    expect(synced).toEqual([false, false, true]);
  });

  it('reads all of them in one order', () => {
    const { list, observations } = observationsOf();
    observations.observe([target('b'), target('a')]);
    list('v1 b', ['b', 'y'], ['b', 'x']);
    list('v1 a', ['a', 'z']);

    expect(observations.snapshot().map(({ namespace, name }) => `${namespace}/${name}`)).toEqual(['a/z', 'b/x', 'b/y']);
  });

  it('reads them once until something changes', () => {
    const { list, observations } = observationsOf();
    observations.observe([target('a')]);
    list('v1 a', ['a', 'x']);
    const first = observations.snapshot();
    const again = observations.snapshot();
    list('v1 a', ['a', 'y']);

    expect(again).toBe(first);
    expect(observations.snapshot()).not.toBe(first);
  });
});
