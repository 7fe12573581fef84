import { describe, expect, it } from 'vitest';
import { FilterError } from '../../src/errors.ts';
import { compilePatch } from '../../src/filter/patch.ts';

describe('the expression of a patch', () => {
  it('gives all outputs and leaves the object as it is', () => {
    const object = { spec: { replicas: 1 } };
    const patch = compilePatch('.spec.replicas += 1');

    expect([...patch(object), ...patch(object)]).toEqual([{ spec: { replicas: 2 } }, { spec: { replicas: 2 } }]);
    expect(object).toEqual({ spec: { replicas: 1 } });
    expect([...compilePatch('empty')(object)]).toEqual([]);
  });

  it('throws what it raises, and what is wrong with it', () => {
    expect(() => compilePatch('error("no")')({})).toThrow('no');
    expect(() => compilePatch('.[')).toThrow(FilterError);
  });

  it('does not run for ever', () => {
    expect(() => compilePatch('repeat(.)')({})).toThrow('stopped');
  });
});
