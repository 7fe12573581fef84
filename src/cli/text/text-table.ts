import { printableLine } from '../../lib/printable.ts';

/** Rows in columns under a heading, of each cell the first line; `-` for an empty cell. */
export function textTable(head: readonly string[], rows: readonly (readonly string[])[], indent = ''): string {
  const all = [head, ...rows.map((row) => row.map((cell) => cellText(cell)))];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const lines = all.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  return lines.map((line) => `${indent}${line.trimEnd()}\n`).join('');
}

function cellText(cell: string): string {
  const [first = ''] = cell.trimStart().split('\n', 1);
  return first === '' ? '-' : printableLine(first.trimEnd());
}
