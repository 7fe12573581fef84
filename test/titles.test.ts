import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { limitTitles } from './support/limit-titles.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
// This file has titles only as examples.
const files = globSync(['test/**/*.test.ts', 'packages/*/test/**/*.test.ts'], {
  cwd: root,
  exclude: ['test/titles.test.ts'],
}).map((file) => ({
  file,
  titles: limitTitles(readFileSync(join(root, file), 'utf8')),
}));

describe('a test', () => {
  it('holds each limit of time that its title has', () => {
    const broken = files.flatMap(({ file, titles }) =>
      titles.flatMap(({ title, promisedMs, heldMs }) =>
        promisedMs.filter((ms) => !heldMs.includes(ms)).map((ms) => `${file}: ${title}: nothing in it holds ${ms} ms`),
      ),
    );

    expect(broken).toEqual([]);
    expect(files.flatMap(({ titles }) => titles).length).toBeGreaterThan(10);
  });

  it.each([
    ['holds it', "it('ends within 3 s', () => {\n  await within(3000, check);\n});", [3000], [3000]],
    [
      'holds it under a driven clock',
      "it('ends within 2 s', () => {\n  await withinVirtual(2_000, x);\n});",
      [2000],
      [2000],
    ],
    ['holds another', "it('ends within 500 ms', () => {\n  await within(5000, check);\n});", [500], [5000]],
    ['holds none', "it('ends within 3 s', () => {\n});\nit('x', () => {\n  await within(3000, x);\n});", [3000], []],
    [
      'has two',
      "it.each(x)(\n  'a within 1 s, b within 2 s',\n  () => {\n    within(1000, a);\n  },\n);",
      [1000, 2000],
      [1000],
    ],
  ])('is read right where it %s', (_what, source, promisedMs, heldMs) => {
    expect(limitTitles(source)).toMatchObject([{ promisedMs, heldMs }]);
  });

  it('without a limit in its title is none of these', () => {
    expect(limitTitles("it('says no answer', () => {\n  expect(x).toThrow('no answer within 1 s');\n});")).toEqual([]);
  });
});
