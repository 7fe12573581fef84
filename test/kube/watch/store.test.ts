import { describe, expect, it } from 'vitest';

import { readObject, type KubeObject } from '../../../src/kube/object.ts';
import { Store, type StoreChange } from '../../../src/kube/watch/store.ts';
import { kubeObject, type ObjectSpec } from '../../support/kube-objects.ts';

const object = (spec: ObjectSpec): KubeObject => {
  const value = kubeObject(spec);
  return readObject(value, () => Buffer.from(JSON.stringify(value)));
};
const storeOf = (...specs: readonly ObjectSpec[]): Store => {
  const store = new Store();
  listInto(store, specs);
  return store;
};
const listInto = (store: Store, specs: readonly ObjectSpec[]) => {
  store.beginList();
  const known = specs.map((spec) => store.listObject(object(spec)).isKnown);
  const gone = store.endList().map(({ name, uid, resourceVersion }) => ({ name, uid, resourceVersion }));
  return { known, gone };
};
const summaryOf = (changes: readonly StoreChange[]) =>
  changes.map(({ type, record, object: seen }) => [
    type,
    record.name,
    record.uid,
    record.resourceVersion,
    seen !== undefined,
  ]);

const A1: ObjectSpec = { name: 'a', uid: 'u1', version: 1 };
const A2: ObjectSpec = { name: 'a', uid: 'u1', version: 2 };
const NEW_A: ObjectSpec = { name: 'a', uid: 'u2', version: 3 };
const B1: ObjectSpec = { name: 'b', uid: 'u3', version: 1 };

describe('Store, following a watch', () => {
  it.each([
    { law: 'an unknown object is Added', before: [], apply: A1, changes: [['Added', 'a', 'u1', '1', true]] },
    { law: 'a new version is Modified', before: [A1], apply: A2, changes: [['Modified', 'a', 'u1', '2', true]] },
    { law: 'the version it has is nothing (point 18)', before: [A1], apply: A1, changes: [] },
    {
      law: 'an older version is Modified, for versions have no order (point 16)',
      before: [A2],
      apply: A1,
      changes: [['Modified', 'a', 'u1', '1', true]],
    },
    {
      law: 'a namesake with a new uid is Deleted and Added (point 15)',
      before: [A1],
      apply: NEW_A,
      changes: [
        ['Deleted', 'a', 'u1', '1', false],
        ['Added', 'a', 'u2', '3', true],
      ],
    },
    {
      law: 'the same name in another namespace is another object',
      before: [A1],
      apply: { ...A1, namespace: 'other', uid: 'u9' },
      changes: [['Added', 'a', 'u9', '1', true]],
    },
    {
      law: 'objects without a uid are distinguished by name',
      before: [{ name: 'a', uid: '', version: 1 }],
      apply: { name: 'a', uid: '', version: 2 },
      changes: [['Modified', 'a', '', '2', true]],
    },
    {
      law: 'an object without a version may always have changed',
      before: [{ name: 'a', version: '' }],
      apply: { name: 'a', version: '' },
      changes: [['Modified', 'a', 'uid-a', '', true]],
    },
  ])('$law', ({ before, apply, changes }) => {
    expect(summaryOf(storeOf(...before).apply(object(apply)))).toEqual(changes);
  });

  it.each([
    { law: 'a deletion carries the last state', before: [A1], gone: A2, changes: [['Deleted', 'a', 'u1', '2', true]] },
    { law: 'a deletion of an unknown object is nothing', before: [B1], gone: A1, changes: [] },
    { law: 'a late deletion of a predecessor is nothing', before: [NEW_A], gone: A1, changes: [] },
  ])('$law', ({ before, gone, changes }) => {
    expect(summaryOf(storeOf(...before).delete(object(gone)))).toEqual(changes);
  });
});

describe('Store, listing again', () => {
  it('knows what it has in the same version', () => {
    expect(listInto(storeOf(A1, B1), [A2, B1]).known).toEqual([false, true]);
  });

  it('returns what is gone in its last known state (point 14)', () => {
    expect(listInto(storeOf(A1, B1), [B1]).gone).toEqual([{ name: 'a', uid: 'u1', resourceVersion: '1' }]);
  });

  it('returns the previous object of a name as gone (point 15)', () => {
    expect(listInto(storeOf(A1), [NEW_A]).gone).toEqual([{ name: 'a', uid: 'u1', resourceVersion: '1' }]);
  });

  it('believes an older list, and the watch that follows it (point 16)', () => {
    const store = storeOf(A2, B1);

    expect(listInto(store, [A1]).gone).toMatchObject([{ name: 'b' }]);
    expect(summaryOf(store.apply(object(A2)))).toEqual([['Modified', 'a', 'u1', '2', true]]);
    expect(summaryOf(store.apply(object(B1)))).toEqual([['Added', 'b', 'u3', '1', true]]);
  });

  it('keeps what it had until the list is complete (point 3)', () => {
    const store = storeOf(A1);

    store.beginList();
    store.listObject(object(B1));

    expect(store.size).toBe(1);
    expect(summaryOf(store.apply(object(A1)))).toEqual([]);
  });

  it('forgets a list that did not come to its end', () => {
    const store = storeOf(A1);
    store.beginList();
    store.listObject(object(B1));

    expect(listInto(store, [A1]).gone).toEqual([]);
    expect(store.size).toBe(1);
  });

  it('takes the last of what a list brings twice', () => {
    const store = storeOf(A1, A2);

    expect(store.size).toBe(1);
    expect(summaryOf(store.apply(object(A2)))).toEqual([]);
  });
});

describe('Store, memory', () => {
  it('keeps no JSON unless a subscriber needs it', () => {
    const store = storeOf(A1);

    expect(store.apply(object(A2))[0]?.record.json).toBeUndefined();
  });

  it('gains the JSON with the next list once a subscriber needs it', () => {
    const store = storeOf(A1);
    store.keepsObjects = true;

    store.beginList();
    const { record, isKnown } = store.listObject(object(A1));

    expect(isKnown).toBe(true);
    expect(record.json).toBeDefined();
  });

  it('keeps one text of an object, however often it is listed', () => {
    const store = new Store();
    store.keepsObjects = true;
    const list = () => {
      store.beginList();
      const { record } = store.listObject(object(A1));
      store.endList();
      return record.json;
    };

    expect(list()).toBe(list());
  });

  it('drops the JSON when no subscriber needs it', () => {
    const store = new Store();
    store.keepsObjects = true;
    listInto(store, [A1]);

    store.keepsObjects = false;

    const [change] = store.apply(object(NEW_A));
    expect(change?.record).toMatchObject({ uid: 'u1', json: undefined });
  });
});
