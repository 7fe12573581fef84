import { expect, it } from 'vitest';
import { withTimeLimit } from '../src/time-limit.ts';

it('work that ends in time gives its result, or its own error', () => {
  expect(withTimeLimit('it', 1000, () => 5)).toBe(5);
  expect(withTimeLimit('it', 1000, () => undefined)).toBeUndefined();
  expect(() =>
    withTimeLimit('it', 1000, () => {
      throw new TypeError('broken');
    }),
  ).toThrow(new TypeError('broken'));
});

it.each<[string, () => unknown]>([
  ['a regular expression', () => /^(a+)+$/.test(`${'a'.repeat(100)}!`)],
  [
    'a loop',
    () => {
      for (;;);
    },
  ],
])('%s that does not end is ended', (_law, work) => {
  expect(() => withTimeLimit('it', 50, work)).toThrow('it took longer than 0.05 s');
  expect(withTimeLimit('the next', 1000, () => 1)).toBe(1);
});
