import { describe, expect, it } from 'vitest';

import type { WatchTarget } from '../../../src/kube/watch/list-watch.ts';
import { readObject } from '../../../src/kube/object.ts';
import type { ObjectRecord } from '../../../src/kube/watch/store.ts';
import { MatchingNamespaces } from '../../../src/sources/kubernetes/namespaces.ts';
import { kubeObject } from '../../support/kube-objects.ts';

function namespacesOf() {
  const targets: WatchTarget[] = [];
  const told: string[] = [];
  const namespaces = new MatchingNamespaces(
    {
      subscribe(target) {
        targets.push(target);
        return { lastContactAtMs: 7, relist: () => told.push('relist'), unsubscribe: () => told.push('end') };
      },
      ended: async () => {},
    },
    { matchLabels: { a: 'b' } },
    {
      changed: () => told.push(`changed ${namespaces.names.join()}`),
      failed: () => told.push('failed'),
      recovered: () => told.push('recovered'),
    },
  );
  const list = (names: readonly string[], gone: readonly string[] = []): void => {
    namespaces.listStarted();
    for (const name of names) namespaces.listed(record(name));
    namespaces.listDone(gone.map((name) => record(name)));
  };
  return { list, namespaces, targets, told };
}

const record = (name: string): ObjectRecord => ({
  namespace: '',
  name,
  uid: name,
  resourceVersion: '1',
  json: undefined,
});
const object = (name: string) => readObject(kubeObject({ name, namespace: '' }), () => new Uint8Array(0));

describe('MatchingNamespaces', () => {
  it('watches the namespaces with the labels', () => {
    expect(namespacesOf().targets).toMatchObject([{ kind: { plural: 'namespaces' }, labelSelector: 'a=b' }]);
  });

  it('knows the names once they are listed', () => {
    const { list, namespaces, told } = namespacesOf();
    const before = namespaces.isSynced;

    list(['x', 'y']);

    expect([before, namespaces.isSynced]).toEqual([false, true]);
    expect(told).toEqual(['changed x,y']);
  });

  it('follows what comes and goes', () => {
    const { list, namespaces, told } = namespacesOf();
    list(['x']);

    namespaces.changed({ type: 'Added', record: record('y'), object: object('y') });
    namespaces.changed({ type: 'Modified', record: record('y'), object: object('y'), previousVersion: '1' });
    namespaces.changed({ type: 'Deleted', record: record('x') });

    expect(told).toEqual(['changed x', 'changed x,y', 'changed y']);
  });

  it('follows what changed between two lists, of which the second brings only what differs', () => {
    const { list, told } = namespacesOf();
    list(['x', 'y']);

    list(['z'], ['x']);

    expect(told.at(-1)).toBe('changed y,z');
  });

  it('forgets a list that did not come to its end', () => {
    const { list, namespaces, told } = namespacesOf();
    namespaces.listStarted();
    namespaces.listed(record('lost'));

    list(['x']);

    expect(told).toEqual(['changed x']);
  });
});
