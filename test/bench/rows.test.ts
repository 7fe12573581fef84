import { describe, expect, it } from 'vitest';
import { loadRow, ROWS } from '../../bench/rows.ts';

describe('the rows', () => {
  it.each(ROWS)('$name is there', async (entry) => {
    expect(await loadRow(entry)).toBeTypeOf('function');
  });

  it('have names of their own', () => {
    expect(new Set(ROWS.map(({ name }) => name)).size).toBe(ROWS.length);
  });
});
