import { describe, expect, it } from 'vitest';
import {
  covers,
  finalizersOf,
  uidOf,
  versionOf,
  withoutServerFields,
  withVersion,
} from '../../src/effects/api-object.ts';

const live = {
  kind: 'ConfigMap',
  metadata: { name: 'cm', resourceVersion: '5', uid: 'u', managedFields: [{}], labels: { a: 'b' }, finalizers: ['f'] },
};

describe('an object', () => {
  it('loses what only the server may say, and nothing else', () => {
    expect(withoutServerFields(live)).toEqual({
      kind: 'ConfigMap',
      metadata: { name: 'cm', labels: { a: 'b' }, finalizers: ['f'] },
    });
  });

  it('gets the version it is to replace', () => {
    expect(withVersion({ metadata: { name: 'cm' } }, '7')).toEqual({ metadata: { name: 'cm', resourceVersion: '7' } });
  });

  it('says who it is', () => {
    expect([versionOf(live), uidOf(live), finalizersOf(live)]).toEqual(['5', 'u', ['f']]);
  });

  it.each([undefined, null, 'text', {}, { metadata: 5 }])('says nothing where there is nothing: %j', (value) => {
    expect([versionOf(value), uidOf(value), finalizersOf(value)]).toEqual(['', '', []]);
  });
});

describe('a live object covers what was wanted', () => {
  it.each([
    { title: 'the same', found: { a: 1 }, wanted: { a: 1 }, covered: true },
    { title: 'with defaults', found: { a: { b: 1, c: 2 }, d: 3 }, wanted: { a: { b: 1 } }, covered: true },
    { title: 'with defaults in a list', found: { a: [{ b: 1, c: 2 }] }, wanted: { a: [{ b: 1 }] }, covered: true },
    { title: 'another value', found: { a: 1 }, wanted: { a: 2 }, covered: false },
    { title: 'a value less', found: {}, wanted: { a: 1 }, covered: false },
    { title: 'a longer list', found: { a: [1, 2] }, wanted: { a: [1] }, covered: false },
    { title: 'a list for an object', found: { a: [] }, wanted: { a: {} }, covered: false },
    { title: 'nothing for an object', found: undefined, wanted: {}, covered: false },
  ])('$title: $covered', ({ found, wanted, covered }) => {
    expect(covers(found, wanted)).toBe(covered);
  });
});
