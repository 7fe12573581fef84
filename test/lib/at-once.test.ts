import { expect, it } from 'vitest';
import { atOnce } from '../../src/lib/at-once.ts';

it('begins items in order, with at most 3 of them at once, and ends with the last', async () => {
  const log: string[] = [];
  const ends: (() => void)[] = [];
  const all = atOnce([1, 2, 3, 4, 5], 3, async (item) => {
    log.push(`begin ${item}`);
    await new Promise<void>((resolve) => ends.push(resolve));
    log.push(`end ${item}`);
  });

  expect(log).toEqual(['begin 1', 'begin 2', 'begin 3']);

  ends[1]?.();
  await Promise.resolve();
  await Promise.resolve();

  expect(log.slice(3)).toEqual(['end 2', 'begin 4']);

  while (log.filter((line) => line.startsWith('end')).length < 5) {
    for (const end of ends) end();
    await Promise.resolve();
  }
  await all;

  expect(log.filter((line) => line.startsWith('begin'))).toEqual([1, 2, 3, 4, 5].map((item) => `begin ${item}`));
});
