import { describe, expect, it } from 'vitest';
import { MemoryRecords } from '../../src/state/records.ts';

describe('MemoryRecords', () => {
  it('changes records, notes only known ones, and reports that nothing is persisted', async () => {
    const records = new MemoryRecords<number>();
    const increment = (known = 0) => ({ record: known + 1, result: known });
    await records.ready();

    records.note('a', (known) => known + 100);
    expect(await records.update('a', increment)).toBe(0);
    expect(await records.update('a', increment)).toBe(1);
    records.note('a', (known) => known * 10);
    expect(await records.update('a', (known) => ({ record: undefined, result: known }))).toBe(20);

    expect(records.get('a')).toBe(20);
    expect(records.get('b')).toBeUndefined();
    expect(records.isKept).toBe(false);
  });
});
