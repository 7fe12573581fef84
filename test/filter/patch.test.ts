import { describe, expect, it } from 'vitest';
import { FilterError } from '../../src/errors.ts';
import { openFilters } from '../../src/filter/filters.ts';

const compilePatch = (expression: string) => openFilters().compilePatch(expression);

describe('the expression of a patch', () => {
  it('gives all outputs and leaves the object as it is', async () => {
    const object = { spec: { replicas: 1 } };
    const patch = compilePatch('.spec.replicas += 1');

    expect([await patch(object), await patch(object)]).toEqual([
      [{ spec: { replicas: 2 } }],
      [{ spec: { replicas: 2 } }],
    ]);
    expect(object).toEqual({ spec: { replicas: 1 } });
    expect(await compilePatch('empty')(object)).toEqual([]);
  });

  it('throws what it raises, and what is wrong with it', async () => {
    await expect(compilePatch('error("no")')({})).rejects.toThrow('no');
    expect(() => compilePatch('.[')).toThrow(FilterError);
  });

  it('goes on elsewhere where it takes long, and gives all outputs too', async () => {
    const filters = openFilters();

    const outputs = await filters.compilePatch('(last(range(200000)), 1) | {n: .}')({});
    filters.end();

    expect(outputs).toEqual([{ n: 199_999 }, { n: 1 }]);
  });

  it('does not run for ever', async () => {
    const filters = openFilters();

    await expect(filters.compilePatch('repeat(.)')({})).rejects.toThrow('the filter was stopped after 100000 outputs');
    filters.end();
  });
});
