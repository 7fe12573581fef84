import { expect, it } from 'vitest';
import { slicedText } from '../../src/lib/sliced-text.ts';

it('a text in pieces is as it was, in bytes', async () => {
  const pieces = Array.from({ length: 50_000 }, (_, index) => `ü ${index}\n`);

  expect(await slicedText(pieces)).toEqual(Buffer.from(pieces.join('')));
  expect(await slicedText([])).toEqual(Buffer.alloc(0));
});

it('other work is done while a long text is made', async () => {
  let turns = 0;
  const turn = (): void => {
    turns += 1;
    if (turns < 3) setImmediate(turn);
  };
  setImmediate(turn);
  const startedAtMs = performance.now();
  const pieces = function* () {
    while (turns < 3 && performance.now() - startedAtMs < 3000) yield 'x'.repeat(100);
  };

  await slicedText(pieces());

  expect(turns).toBe(3);
});
