import { expect, it } from 'vitest';
import { StatePace } from '../../src/operator/reconcile/state-pace.ts';

it('a state may change 30 times in a row, and rests then for 100 ms at first and 30 s at most', () => {
  let nowMs = 0;
  const pace = new StatePace(() => nowMs);
  const delays = Array.from({ length: 42 }, () => {
    const delayMs = pace.note('a')?.delayMs ?? 0;
    nowMs += delayMs + 1000;
    return delayMs;
  });

  expect(delays.slice(0, 30)).toEqual(Array(30).fill(0));
  expect(delays.slice(30, 33)).toEqual([100, 200, 400]);
  expect(delays.at(-1)).toBe(30_000);
});

it('a state that rests for more than 10 s counts anew, and each object by itself', () => {
  let nowMs = 0;
  const pace = new StatePace(() => nowMs);
  for (let changes = 0; changes < 30; changes += 1) pace.note('a');

  expect(pace.note('b')).toBeUndefined();
  expect(pace.note('a')).toEqual({ changes: 31, isNew: true, delayMs: 100 });
  expect(pace.note('a')).toEqual({ changes: 32, isNew: false, delayMs: 200 });
  nowMs += 10_201;
  expect(pace.note('a')).toBeUndefined();
});
