import { expect, it } from 'vitest';
import { interleaved } from '../../bench/interleave.ts';

it('each is measured once a round, and each round begins with another one', async () => {
  const order: string[] = [];
  const subject = (name: string) => async (round: number) => {
    order.push(`${name}${round}`);
    return round;
  };

  const values = await interleaved(3, { a: subject('a'), b: subject('b'), c: subject('c'), none: undefined });

  expect(order).toEqual(['a0', 'b0', 'c0', 'b1', 'c1', 'a1', 'c2', 'a2', 'b2']);
  expect(values).toEqual({ a: [0, 1, 2], b: [0, 1, 2], c: [0, 1, 2], none: [] });
});
