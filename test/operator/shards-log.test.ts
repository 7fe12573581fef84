import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MovesLog } from '../../src/operator/shards/moves-log.ts';

function rig() {
  const lines: string[] = [];
  const log = { info: (fields: unknown, message?: string) => void lines.push(`${message} ${JSON.stringify(fields)}`) };
  return { lines, moves: new MovesLog({ log, count: () => 8 }) };
}

describe('the log of moves', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('has one line for the slices that come together, and one for those that go', async () => {
    const { lines, moves } = rig();
    for (const slice of [57, 56, 58]) moves.taken(slice);
    moves.given(3);
    expect(lines).toEqual([]);
    await vi.advanceTimersByTimeAsync(500);
    expect(lines).toEqual(['slices given {"slices":"3","has":8}', 'slices taken {"slices":"56-58","has":8}']);

    moves.given(56);
    await vi.advanceTimersByTimeAsync(500);
    expect(lines.slice(2)).toEqual(['slices given {"slices":"56","has":8}']);
  });

  it('loses nothing at the end', () => {
    const { lines, moves } = rig();
    moves.given(1);
    moves[Symbol.dispose]();
    moves[Symbol.dispose]();
    expect(lines).toEqual(['slices given {"slices":"1","has":8}']);
  });
});
