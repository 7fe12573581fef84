import { describe, expect, it } from 'vitest';
import {
  arranged,
  finalizersOf,
  isTerminating,
  labelsOf,
  nameOf,
  namespaceOf,
  ownerReferencesOf,
  resourceVersionOf,
  timestamp,
  uidOf,
  withMetadata,
} from '../src/object-meta.ts';

describe('metadata', () => {
  it('what an object does not say is empty', () => {
    expect([nameOf({}), namespaceOf({}), uidOf({}), resourceVersionOf({})]).toEqual(['', '', '', '']);
    expect([labelsOf({}), finalizersOf({}), ownerReferencesOf({})]).toEqual([{}, [], []]);
    expect(isTerminating({})).toBe(false);
  });

  it('kind and apiVersion come first, and metadata in the order of the API server', () => {
    const object = { spec: {}, metadata: { labels: { a: 'b' }, uid: 'u', name: 'n' }, apiVersion: 'v1', kind: 'Pod' };

    expect(JSON.stringify(arranged(object))).toBe(
      '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"n","uid":"u","labels":{"a":"b"}},"spec":{}}',
    );
  });

  it('unknown, empty and null metadata is dropped', () => {
    const object = {
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: { name: 'n', bogus: 1, labels: {}, finalizers: [], uid: null },
    };

    expect(arranged(object)['metadata']).toEqual({ name: 'n' });
  });

  it('undefined removes a field', () => {
    expect(withMetadata({ metadata: { name: 'n', uid: 'u' } }, { uid: undefined })['metadata']).toEqual({ name: 'n' });
  });

  it('a moment is written in whole seconds of UTC', () => {
    expect(timestamp(Date.UTC(2030, 0, 2, 3, 4, 5, 678))).toBe('2030-01-02T03:04:05Z');
  });
});
