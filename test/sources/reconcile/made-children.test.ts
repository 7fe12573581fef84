import { expect, it } from 'vitest';
import { MadeChildren, MAX_UNSEEN } from '../../../src/sources/reconcile/made-children.ts';

it('children that no watch shows are at most 10,000, the last ones', () => {
  const made = new MadeChildren();
  for (let child = 0; child < 10_001; child++) made.note(`default/${child}`, `default/parent-${child}`);

  const parents = made.listed();

  expect(MAX_UNSEEN).toBe(10_000);
  expect([parents.size, parents.has('default/parent-0'), parents.has('default/parent-10000')]).toEqual([
    10_000,
    false,
    true,
  ]);
});
