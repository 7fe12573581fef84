import { describe, expect, it } from 'vitest';
import { compileJqFilter, compileProgram, outputsText, parseFilterInput } from '../../src/filter/jq-filter.ts';

it('the outputs of a program are in order', () => {
  expect(outputsText(compileProgram('.[] | . * 2'), [1, 2, 3])).toBe('[2,4,6]');
});

it('a program that fails half-way throws', () => {
  expect(() => outputsText(compileProgram('1, error("half-way")'), null)).toThrow('half-way');
});

describe('halt in a filter', () => {
  it.each([
    ['1, halt, 2', { result: '1' }],
    ['if .n > 1 then halt else .n end', { result: 'null' }],
    ['1, 2, (try halt catch 3), 4', { result: '[1,2]' }],
    ['"no such thing\\n" | halt_error', { result: 'null', error: 'no such thing' }],
    ['{"a": 1} | halt_error(3)', { result: 'null', error: '(not a string): {"a":1}' }],
  ])('%s ends it', (expression, outcome) => {
    expect(compileJqFilter(expression).apply({ n: 2 })).toEqual(outcome);
  });
});

it('keeps all digits of whole numbers of the text of an object', () => {
  const filter = compileJqFilter('{spec, "10": 1, "9": .spec.n}');

  expect(filter.apply(parseFilterInput('{"spec":{"n":9223372036854775807,"f":1.50,"e":1e3}}'))).toEqual({
    result: '{"spec":{"n":9223372036854775807,"f":1.5,"e":1000},"10":1,"9":9223372036854775807}',
  });
});
