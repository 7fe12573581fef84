import { describe, expect, it } from 'vitest';
import type { SlicesStatus } from '../../src/kube/coordination/slices/slices-status.ts';
import { shardsCheck } from '../../src/operator/shards/shards-check.ts';
import { rangesText, shardsView } from '../../src/operator/shards/shards-view.ts';

const members: SlicesStatus = {
  state: 'member',
  identity: 'a',
  members: [
    { identity: 'a', state: 'alive', slices: [0, 1, 2, 9] },
    { identity: 'b', state: 'alive', slices: [3] },
  ],
  moves: [{ slice: 9, from: 'a', to: 'b' }],
  unheld: [4],
};

describe('what a replica says of its slices', () => {
  it('is how many and which it has, of how many members it is one, its moves, and what nobody has', () => {
    expect(shardsCheck({ members, status: { type: 'leading' } })).toEqual({
      name: 'shards',
      isOk: true,
      message:
        "member, has 4 of 64 slices (0-2, 9), one of 2 members, and leads; gives 9 to b; 1 slices are nobody's at the moment",
    });
  });

  it('is its problem, where it has one', () => {
    const status = { type: 'standing-by', leader: 'a' } as const;
    const check = shardsCheck({ members: { ...members, problem: 'no right' }, status });
    expect(check).toEqual({ name: 'shards', isOk: false, message: 'no right' });
  });

  it('is ready while it waits for those that divide objects in another way, so that a rolling update goes on', () => {
    const status = { type: 'standing-by', leader: 'a' } as const;
    const check = shardsCheck({ members: { ...members, problem: 'another hash', isWaiting: true }, status });
    expect(check).toEqual({ name: 'shards', isOk: true, message: 'another hash' });
  });

  it('does not call unheld what it cannot see: while it joins, and where others divide objects in another way', () => {
    expect(shardsView({ members }).unheld).toBe(1);
    expect(shardsView({ members: { ...members, problem: 'another hash', isWaiting: true } }).unheld).toBe(0);
    expect(shardsView({ members: { ...members, state: 'joining' } }).unheld).toBe(0);
  });

  it('joins neighboring slices to ranges', () => {
    expect(rangesText([63, 1, 0, 5, 3, 4])).toBe('0-1, 3-5, 63');
  });
});
