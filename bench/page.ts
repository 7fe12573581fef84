import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Measure } from './row.ts';
import { ROWS } from './rows.ts';
import { markdownOf, type Result } from './table.ts';

const RESULTS = join(import.meta.dirname, 'results.json');
const PAGE = join(import.meta.dirname, '..', 'docs', 'performance.md');

/** The latest measures of all rows, by row. */
type KeptResults = Readonly<Record<string, readonly Measure[]>>;

/** Stores the results in bench/results.json, and writes the table of all stored results into docs/performance.md. */
export function writePage(results: readonly Result[]): void {
  const old: KeptResults = JSON.parse(readFileSync(RESULTS, 'utf8'));
  const measured = Object.groupBy(results, ({ row }) => row);
  const kept: KeptResults = Object.fromEntries(
    ROWS.map(({ name }) => [name, measured[name]?.map(({ measure }) => measure) ?? old[name] ?? []]),
  );
  writeFileSync(RESULTS, `${JSON.stringify(kept, null, 2)}\n`);
  const all = Object.entries(kept).flatMap(([row, measures]) => measures.map((measure) => ({ row, measure })));
  const titleOf = (name: string): string => ROWS.find((row) => row.name === name)?.title ?? name;
  writePart('results', markdownOf(all, titleOf));
}

/** Replaces a part of docs/performance.md. */
export function writePart(part: string, text: string): void {
  writeFileSync(PAGE, withPart(readFileSync(PAGE, 'utf8'), part, text));
}

/** Returns the page with the text between the marks of a part replaced. */
export function withPart(page: string, part: string, text: string): string {
  const [begin, end] = [`<!-- ${part} -->`, `<!-- end of ${part} -->`];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`no ${begin} … ${end} in the page`);
  return `${page.slice(0, from + begin.length)}\n\n${text}\n\n${page.slice(to)}`;
}
