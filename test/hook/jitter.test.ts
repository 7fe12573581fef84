import { describe, expect, it } from 'vitest';
import { jitterOf } from '../../src/hook/jitter.ts';

const jitterMs = 600_000;

describe('jitterOf', () => {
  it('is always the same for a binding', () => {
    expect(jitterOf('backup.sh', { name: 'nightly', jitterMs })).toBe(402_000);
  });

  it('is none where none is asked for', () => {
    expect(jitterOf('backup.sh', { name: 'nightly', jitterMs: 0 })).toBe(0);
  });

  it('spreads bindings over the time, in whole seconds', () => {
    const offsets = Array.from({ length: 1000 }, (_, index) => jitterOf(`hook-${index}.sh`, { name: 's', jitterMs }));
    const tenths = new Map(Map.groupBy(offsets, (offset) => Math.floor((offset / jitterMs) * 10)));

    expect(offsets.every((offset) => offset % 1000 === 0 && offset >= 0 && offset < jitterMs)).toBe(true);
    expect([...tenths.keys()].toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    for (const members of tenths.values()) expect(members.length).toBeGreaterThan(60);
  });
});
