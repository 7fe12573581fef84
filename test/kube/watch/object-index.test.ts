import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { comparePlaces, ObjectIndex } from '../../../src/kube/watch/object-index.ts';

const place = (namespace: string, name: string, value = 0) => ({ namespace, name, value });

function indexOf(...places: readonly ReturnType<typeof place>[]) {
  const index = new ObjectIndex<ReturnType<typeof place>>();
  for (const one of places) index.set(one);
  return index;
}

describe('ObjectIndex', () => {
  it('orders by namespace, then by name', () => {
    const index = indexOf(place('b', 'a'), place('a', 'b'), place('', 'z'), place('a', 'a'));

    expect(index.toArray().map(({ namespace, name }) => `${namespace}/${name}`)).toEqual(['/z', 'a/a', 'a/b', 'b/a']);
  });

  it('keeps the last of several with one place', () => {
    const index = indexOf(place('a', 'a', 1), place('b', 'b', 2), place('a', 'a', 3));

    expect(index.toArray().map(({ value }) => value)).toEqual([3, 2]);
    expect(index.size).toBe(2);
  });

  it('gives arrays that later changes leave alone', () => {
    const index = indexOf(place('a', 'a'));
    const before = index.toArray();

    index.set(place('a', 'b'));
    index.delete(place('a', 'a'));

    expect(before).toEqual([place('a', 'a')]);
  });

  it('holds thousands in any order of coming and going', () => {
    const index = new ObjectIndex<ReturnType<typeof place>>();
    for (let value = 0; value < 5000; value++) index.set(place(`n${value % 7}`, `x${(value * 7919) % 5000}`, value));
    for (let value = 0; value < 5000; value += 2) index.delete(place(`n${value % 7}`, `x${(value * 7919) % 5000}`));

    const left = index.toArray();

    expect(left).toHaveLength(2500);
    expect(left).toEqual(left.toSorted(comparePlaces));
    expect([...index]).toEqual(left);
    expect(left.every((object) => index.get(object) === object)).toBe(true);
  });

  it('behaves as a sorted map', () => {
    const change = fc.record({
      isDeletion: fc.boolean(),
      namespace: fc.constantFrom('', 'a', 'b'),
      name: fc.string({ maxLength: 2 }),
      value: fc.nat(),
    });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
        const index = new ObjectIndex<ReturnType<typeof place>>();
        const model = new Map<string, ReturnType<typeof place>>();
        for (const { isDeletion, namespace, name, value } of changes) {
          const object = place(namespace, name, value);
          const key = JSON.stringify([namespace, name]);
          if (isDeletion) {
            index.delete(object);
            model.delete(key);
          } else {
            index.set(object);
            model.set(key, object);
          }
          expect(index.get(object)).toBe(model.get(key));
        }
        expect(index.size).toBe(model.size);
        expect(index.toArray()).toEqual([...model.values()].toSorted(comparePlaces));
      }),
    );
  });
});
