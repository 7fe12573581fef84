import { describe, expect, it } from 'vitest';
import { nextTurn } from '../../src/lib/turn.ts';
import { OwnedSlices } from '../../src/operator/shards/owned-slices.ts';

describe('a slice that is given', () => {
  it('is shown until the last run about it has ended, also one that began after the others had', async () => {
    const runs = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let ended = 0;
    const slices = new OwnedSlices({
      hash: 'mixed',
      quiet: async () => {
        await runs[ended]?.promise;
        ended += 1;
      },
      isQuiet: () => ended === runs.length,
      onTaken: () => {},
      onGiven: () => {},
    });
    slices.take(3);
    const given = slices.give(3, new AbortController().signal);

    runs[0]?.resolve();
    await nextTurn();
    expect(slices.owned.map(({ index }) => index)).toEqual([3]);

    runs[1]?.resolve();
    await given;
    expect(slices.owned).toEqual([]);
  });
});
