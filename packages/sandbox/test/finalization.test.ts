import { describe, expect, it } from 'vitest';
import { isReadyToGo, storeOrRemove } from '../src/finalization.ts';
import { Storage } from '../src/storage.ts';

describe('the end of an object', () => {
  it.each([
    ['pods', {}, {}, false],
    ['pods', { deletionTimestamp: 'T' }, {}, true],
    ['pods', { deletionTimestamp: 'T', finalizers: ['a.b/c'] }, {}, false],
    ['pods', { deletionTimestamp: 'T', deletionGracePeriodSeconds: 30 }, {}, false],
    ['namespaces', { deletionTimestamp: 'T' }, { finalizers: ['kubernetes'] }, false],
    ['namespaces', { deletionTimestamp: 'T' }, {}, true],
  ])('%s %j %j is ready to go: %s', (...[collection, metadata, spec, ready]) => {
    expect(isReadyToGo(collection, { metadata, spec })).toBe(ready);
  });

  it('a new state that nothing holds removes the object', () => {
    const storage = new Storage();
    const metadata = { name: 'a', namespace: 'default', uid: 'u', deletionTimestamp: 'T' };
    const stored = storage.put('configmaps', { metadata: { ...metadata, finalizers: ['a.b/c'] } });

    storeOrRemove(storage, stored, { metadata });

    expect(storage.list('configmaps')).toEqual([]);
  });
});
