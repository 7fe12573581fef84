import { describe, expect, it } from 'vitest';
import { storageKey, Storage, type Change } from '../src/storage.ts';

function thing(name: string, data: string, namespace = 'default') {
  return { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name, namespace, uid: `uid-${name}` }, data: { data } };
}

describe('storage', () => {
  it('every write gets the next revision, and the object carries it', () => {
    const storage = new Storage();

    const first = storage.put('configmaps', thing('a', '1'));
    const second = storage.put('secrets', thing('b', '1'));

    expect(second.revision).toBe(first.revision + 1);
    expect(second.object['metadata']).toMatchObject({ resourceVersion: String(second.revision) });
    expect(storage.revision).toBe(second.revision);
  });

  it('objects are listed in the order of namespace and name', () => {
    const storage = new Storage();
    for (const [name, namespace] of [
      ['b', 'x'],
      ['a', 'x'],
      ['c', 'a'],
      ['a', 'x-y'],
    ] as const) {
      storage.put('configmaps', thing(name, '1', namespace));
    }

    expect(storage.list('configmaps').map(({ key }) => key)).toEqual(['a/c', 'x-y/a', 'x/a', 'x/b']);
    expect(storageKey('x', 'a')).toBe('x/a');
  });

  it('an earlier revision shows what was there then', () => {
    const storage = new Storage();
    storage.put('configmaps', thing('a', '1'));
    const then = storage.put('configmaps', thing('b', '1')).revision;
    const before = storage.get('configmaps', 'default', 'a');
    storage.put('configmaps', thing('b', '2'));
    storage.put('configmaps', thing('c', '1'));
    if (before !== undefined) storage.remove('configmaps', before);

    const names = storage.listAt('configmaps', then)?.map(({ name, object }) => [name, object['data']]);

    expect(names).toEqual([
      ['a', { data: '1' }],
      ['b', { data: '1' }],
    ]);
  });

  it('a deletion is a change with a revision of its own', () => {
    const storage = new Storage();
    const stored = storage.put('configmaps', thing('a', '1'));
    storage.remove('configmaps', stored);

    const [change] = storage.changesSince('configmaps', stored.revision) ?? [];

    expect(change).toMatchObject({ type: 'delete', revision: stored.revision + 1, before: stored });
    expect(change?.stored.object['metadata']).toMatchObject({ resourceVersion: String(stored.revision + 1) });
  });

  it('changes of other collections are not told', () => {
    const storage = new Storage();
    storage.put('secrets', thing('a', '1'));

    expect(storage.changesSince('configmaps', 0)).toEqual([]);
  });

  it('the history holds 64 MiB of text, and of larger objects the latest alone', () => {
    const storage = new Storage();
    const megabytes = (count: number): string => 'x'.repeat(count * 1024 * 1024);
    const first = storage.put('configmaps', thing('a', megabytes(3))).revision;
    for (let count = 0; count < 19; count += 1) storage.put('configmaps', thing('a', megabytes(3)));
    expect(storage.changesSince('configmaps', first)).toHaveLength(19);

    for (let count = 0; count < 2; count += 1) storage.put('configmaps', thing('a', megabytes(3)));
    expect(storage.changesSince('configmaps', first)).toBeUndefined();
    expect(storage.changesSince('configmaps', storage.compactedRevision)?.length).toBeLessThanOrEqual(21);

    const before = storage.revision;
    const last = storage.put('configmaps', thing('a', megabytes(65)));
    expect(storage.changesSince('configmaps', before)?.map(({ stored }) => stored)).toEqual([last]);
  });

  it('what is compacted is forgotten, and the present is not', () => {
    const storage = new Storage();
    const old = storage.put('configmaps', thing('a', '1')).revision;
    const now = storage.put('configmaps', thing('a', '2')).revision;

    storage.compact();

    expect(storage.changesSince('configmaps', old)).toBeUndefined();
    expect(storage.listAt('configmaps', old)).toBeUndefined();
    expect(storage.changesSince('configmaps', now)).toEqual([]);
    expect(storage.list('configmaps')).toHaveLength(1);
  });

  it('what is expired is forgotten also by who has seen all of it', () => {
    const storage = new Storage();
    const now = storage.put('configmaps', thing('a', '1')).revision;

    storage.expire();

    expect(storage.changesSince('configmaps', now)).toBeUndefined();
    expect(storage.changesSince('configmaps', storage.revision)).toEqual([]);
    expect(storage.list('configmaps')).toHaveLength(1);
  });

  it('listeners hear every change in order until they leave', () => {
    const storage = new Storage();
    const heard: Change[] = [];
    const leave = storage.subscribe((change) => heard.push(change));
    storage.put('configmaps', thing('a', '1'));
    storage.put('configmaps', thing('a', '2'));
    leave();
    storage.put('configmaps', thing('a', '3'));

    expect(heard.map(({ before }) => before?.object['data'])).toEqual([undefined, { data: '1' }]);
  });

  it('the text of an object leaves kind and apiVersion to the version that shows it', () => {
    const stored = new Storage().put('configmaps', thing('a', '1'));

    expect(stored.tail).toBe(
      `"metadata":{"name":"a","namespace":"default","uid":"uid-a","resourceVersion":"${stored.revision}"},"data":{"data":"1"}}`,
    );
  });
});
