import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { linesOfPicture, printedByDev, shownPart, steadyLines, terminalPicture } from '../../scripts/dev-picture.ts';
import { builtFolder } from '../support/built-program.ts';

const root = join(import.meta.dirname, '..', '..');
const pictures = join(root, 'docs', 'pictures');

/** Lines without the time, in no order: two parts may be ready in either. */
function said(lines: readonly string[]): readonly string[] {
  return lines.map((line) => line.replace(/^\d\d:\d\d:\d\d\.\d{3} /, '')).toSorted();
}

describe('the picture of hooklet dev', () => {
  it('has the lines that dev prints in a terminal: node scripts/dev-picture.ts', { timeout: 90_000 }, async () => {
    const [command, ...lines] = linesOfPicture(readFileSync(join(pictures, 'dev.svg'), 'utf8'));
    const printed = steadyLines(await printedByDev(join(builtFolder(), 'main.js')));

    expect(command).toBe('$ hooklet dev');
    expect(said(printed.map(shownPart))).toEqual(said(lines));
  });

  it('keeps what is printed, its colors, and no more than fits into a line', () => {
    const line = `\u001B[90ma=\u001B[39m<&> ${'x'.repeat(200)}`;
    const svg = terminalPicture([line], 'a');

    expect(svg).toContain('<tspan fill="#8797ae">a=</tspan>&lt;&amp;&gt; xxx');
    expect(linesOfPicture(svg)).toEqual([`a=<&> ${'x'.repeat(107)}…`]);
  });

  it('is the same whatever times, ports and ids are', () => {
    const printed = (time: string, port: number, id: string): string =>
      `${time} INFO  serving  url=http://localhost:${port}\r\n${time} INFO  hook finished  run=${id} durationMs=${port}\r\n`;
    const one = steadyLines(printed('10:00:00.000', 1, '04b05e66-c18d-43a3-bac1-20a7508fd448'));

    expect(steadyLines(printed('23:59:59.999', 2, '14b05e66-c18d-43a3-bac1-20a7508fd449'))).toEqual(one);
    expect(() => steadyLines('nothing')).toThrow('hooklet dev ran no hook');
  });
});

describe('the pictures of the docs', () => {
  it('are each shown by a page', () => {
    const texts = ['README.md', ...globSync('docs/**/*.md', { cwd: root })].map((page) =>
      readFileSync(join(root, page), 'utf8'),
    );

    const unnamed = readdirSync(pictures).filter((name) => !texts.some((text) => text.includes(`pictures/${name})`)));
    expect(unnamed).toEqual([]);
  });
});
