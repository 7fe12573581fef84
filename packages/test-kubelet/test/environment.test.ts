import { expect, it } from 'vitest';
import { expand } from '../src/environment.ts';
import { quantity } from '../src/quantity.ts';

it.each([
  ['$(A)', 'one'],
  ['$(A)$(A) $(B)', 'oneone '],
  ['$(C)', '$(C)'],
  ['$$(A)', '$(A)'],
  ['$A ${A} $(A', '$A ${A} $(A'],
  ['$$$(A)', '$one'],
])('%s in a command becomes %s', (text, expanded) => {
  expect(expand(text, { A: 'one', B: '' })).toBe(expanded);
});

it.each([
  ['1', 1],
  ['500m', 0.5],
  ['64Mi', 64 * 2 ** 20],
  ['1.5Gi', 1.5 * 2 ** 30],
  ['2G', 2e9],
  ['1e3', 1000],
])('the quantity %s is %d', (text, number) => {
  expect(quantity(text)).toBe(number);
});

it.each(['', 'x', '1 Gi', '1KiB'])('%j is no quantity', (text) => {
  expect(() => quantity(text)).toThrow('is no quantity such as 1Gi');
});
