import type { Difference } from './difference.ts';

const MAX_LINES = 20;

/** Compares a number of runs, writes or calls; `found` has a line for each. */
export function countDifferences(field: string, expected: number, found: readonly string[]): readonly Difference[] {
  if (expected === found.length) return [];
  return [{ at: [field], message: `expected ${expected}, found ${found.length}${listed(found)}`, found: found.length }];
}

/** The lines below each other, indented; of many the first ones. */
export function listed(lines: readonly string[]): string {
  const rest = lines.length > MAX_LINES ? [`… and ${lines.length - MAX_LINES} more`] : [];
  return [...lines.slice(0, MAX_LINES), ...rest].map((line) => `\n  ${line}`).join('');
}
