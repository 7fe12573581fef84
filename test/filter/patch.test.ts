import { describe, expect, it } from 'vitest';
import { FilterError } from '../../src/errors.ts';
import { parseExactJson } from '../../src/lib/exact-json.ts';
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

  it.each([
    ['repeat(.)', 'the filter was stopped after 100000 outputs'],
    ['.a = [range(1e12)]', 'the filter was stopped'],
    ['.a = "x" * 1e8', 'the filter was stopped at a text of more than 33554432 characters'],
    ['def f: f; f', 'the filter was stopped'],
    ['.a |= until(false; . + "x")', 'the filter was stopped'],
    ['.a = ("a" * 60 + "b" | test("(a+)+$"))', 'the filter was stopped after 1000 ms'],
    ['. as $o | [range(1e6)] | map($o * {(tostring): .}) | add', 'the filter was stopped'],
  ])('does not run for ever: %s', async (expression, reason) => {
    const filters = openFilters();

    await expect(filters.compilePatch(expression)({})).rejects.toThrow(reason);
    filters.end();
  });

  it('keeps all digits of numbers that it does not touch, here and elsewhere', async () => {
    const filters = openFilters();
    const object = parseExactJson('{"spec":{"n":9223372036854775807,"m":[18446744073709551615]},"a":1}');

    const here = await filters.compilePatch('.a = 2')(object);
    const elsewhere = await filters.compilePatch('.a = last(range(200000))')(object);
    filters.end();

    expect(JSON.stringify(here)).toBe('[{"spec":{"n":9223372036854775807,"m":[18446744073709551615]},"a":2}]');
    expect(JSON.stringify(elsewhere)).toBe(
      '[{"spec":{"n":9223372036854775807,"m":[18446744073709551615]},"a":199999}]',
    );
  });

  it('keeps all digits of numbers that it writes', async () => {
    expect(
      JSON.stringify(await compilePatch('.n = 9223372036854775807, (.n = ("9223372036854775806" | tonumber))')({})),
    ).toBe('[{"n":9223372036854775807},{"n":9223372036854775806}]');
  });

  it('ends at halt with the outputs so far, and fails by halt_error', async () => {
    expect(await compilePatch('., halt, 1')({ a: 1 })).toEqual([{ a: 1 }]);
    await expect(compilePatch('"refused" | halt_error')({})).rejects.toThrow('refused');
  });
});
