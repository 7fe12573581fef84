import { describe, expect, it } from 'vitest';
import { markdownOf, tableOf, valueText, type Result } from '../../bench/table.ts';

const RESULTS: readonly Result[] = [
  {
    row: 'event',
    measure: { name: 'p50', unit: 'ms', hooklet: 8, limit: 6.4, peer: 123, goal: { type: 'ratio', most: 1.25 } },
  },
  { row: 'start', measure: { name: 'time', unit: 's', hooklet: 1.5, goal: { type: 'value', most: 1.2 } } },
  { row: 'runs', measure: { name: '.a | .b', unit: 'runs/s', hooklet: 1999, goal: { type: 'value', least: 2000 } } },
];

describe('the table', () => {
  it('has a line for each measure, with what is reached', () => {
    expect(tableOf(RESULTS).split('\n')).toEqual([
      'row    measure  hooklet       limit   ratio  peer    goal',
      'event  p50      8 ms          6.4 ms  1.25   123 ms  ≤ 1.25 × limit  ok',
      'start  time     1.5 s                                ≤ 1.2 s         over',
      'runs   .a | .b  2,000 runs/s                         ≥ 2000 runs/s   under',
    ]);
  });

  it('names rows for a reader in Markdown, and escapes what would end a cell', () => {
    const lines = markdownOf(RESULTS, (row) => `the ${row}`).split('\n');

    expect(lines).toHaveLength(5);
    expect(lines[2]).toBe('| the event | p50 | 8 ms | 6.4 ms | 1.25 | 123 ms | ≤ 1.25 × limit | ok |');
    expect(lines[4]).toContain(String.raw`| .a \| .b |`);
  });
});

describe('a value', () => {
  it.each([
    [7.84321, 'ms', '7.84 ms'],
    [0.000793, '%', '0.000793 %'],
    [2753, 'ms', '2,750 ms'],
    [1_234_567, 'B', '1,230,000 B'],
    [3, '', '3'],
  ])('%d in %s is %s', (value, unit, text) => {
    expect(valueText(value, unit)).toBe(text);
  });

  it('that is not there is empty', () => {
    expect(valueText(undefined, 'ms')).toBe('');
  });
});
