import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readDocument, root, section, table } from './markdown.ts';

const text = readDocument('docs/reliability.md');
const rowsOf = (heading: string): readonly (readonly string[])[] => table(section(text, heading)).slice(1);
/** A promise in bold, without its full stop and what is said besides. */
const nameOf = (cell = ''): string => /^\*\*(.*?)\.?\*\*/.exec(cell)?.[1] ?? '';
const tested = rowsOf('How each promise is tested').map(([promise = '', ...cells]) => ({
  promise,
  kinds: cells.map((cell) =>
    Array.from(cell.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g), ([, title = '', file = '']) => ({ title, file })),
  ),
}));

describe('the promises', () => {
  it('are all tested, under virtual time and as a whole', () => {
    expect(tested.map(({ promise }) => promise)).toEqual(rowsOf('What is promised').map(([cell]) => nameOf(cell)));
    for (const { promise, kinds } of tested) {
      expect(kinds, promise).toHaveLength(2);
      for (const tests of kinds) expect(tests.length, promise).toBeGreaterThan(0);
    }
  });

  it.each(tested)('are tested by tests that are there, with the same number: $promise', ({ promise, kinds }) => {
    const limit = /within \d+ s/.exec(promise)?.[0] ?? '';
    for (const { title, file } of kinds.flat()) {
      const source = readFileSync(join(root, 'docs', file), 'utf8');

      expect(source, file).toContain(`'${title}'`);
      expect(title).toContain(limit);
    }
  });
});
