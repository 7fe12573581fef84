import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROWS } from './rows.ts';
import { markdownOf, type Result } from './table.ts';

const PAGE = join(import.meta.dirname, '..', 'docs', 'performance.md');

/** Writes the table of results into docs/performance.md. */
export function writePage(results: readonly Result[]): void {
  const titleOf = (name: string): string => ROWS.find((row) => row.name === name)?.title ?? name;
  writePart('results', markdownOf(results, titleOf));
}

/** Writes a part of docs/performance.md anew. */
export function writePart(part: string, text: string): void {
  writeFileSync(PAGE, withPart(readFileSync(PAGE, 'utf8'), part, text));
}

/** The page with another text between the marks of a part. */
export function withPart(page: string, part: string, text: string): string {
  const [begin, end] = [`<!-- ${part} -->`, `<!-- end of ${part} -->`];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`no ${begin} … ${end} in the page`);
  return `${page.slice(0, from + begin.length)}\n\n${text}\n\n${page.slice(to)}`;
}
