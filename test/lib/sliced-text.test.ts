import { expect, it } from 'vitest';
import { slicedText } from '../../src/lib/sliced-text.ts';

it('a text in pieces is as it was, in bytes', async () => {
  const pieces = Array.from({ length: 50_000 }, (_, index) => `ü ${index}\n`);

  expect(await slicedText(pieces)).toEqual(Buffer.from(pieces.join('')));
  expect(await slicedText([])).toEqual(Buffer.alloc(0));
});

it('other work is done while a long text is made', async () => {
  let turns = 0;
  const timer = setInterval(() => {
    turns += 1;
  }, 1);
  const startedAtMs = performance.now();
  const pieces = function* () {
    while (performance.now() - startedAtMs < 100) yield 'x'.repeat(10_000);
  };

  await slicedText(pieces());
  clearInterval(timer);

  expect(turns).toBeGreaterThan(2);
});
