import { expect, it } from 'vitest';
import { compileProgram, outputsOf } from '../../src/filter/jq-filter.ts';

it('the outputs of a program are in order', () => {
  expect(outputsOf(compileProgram('.[] | . * 2'), [1, 2, 3])).toEqual([2, 4, 6]);
});

it('a program that fails half-way throws', () => {
  expect(() => outputsOf(compileProgram('1, error("half-way")'), null)).toThrow('half-way');
});
