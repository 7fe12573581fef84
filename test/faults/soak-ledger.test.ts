import { describe, expect, it } from 'vitest';
import { Ledger } from '../../bench/soak/ledger.ts';
import type { SeenContext, Sighting } from '../../bench/soak/sightings.ts';

const version = (uid: string, resourceVersion: number) => ({ uid, resourceVersion: String(resourceVersion) });
const event = (what: string, uid: string, resourceVersion: number): SeenContext => ({
  type: 'event',
  event: what,
  version: version(uid, resourceVersion),
});
const all = (...versions: readonly ReturnType<typeof version>[]): SeenContext => ({ type: 'all', versions });

function ledgerOf(...runs: readonly (readonly SeenContext[])[]): Ledger {
  const ledger = new Ledger();
  for (const [index, contexts] of runs.entries()) ledger.record(sighting(contexts, { atMs: index }));
  return ledger;
}

function sighting(contexts: readonly SeenContext[], changes: Partial<Sighting> = {}): Sighting {
  return { hook: 'hook', generation: 1, atMs: 0, contexts, ...changes };
}

describe('the ledger of the soak', () => {
  it('finds nothing where the hook saw how things are', () => {
    const ledger = ledgerOf(
      [all(version('a', 1), version('b', 2))],
      [event('Modified', 'a', 9)],
      [event('Deleted', 'b', 10)],
    );

    expect(ledger.differences('hook', [version('a', 9)])).toEqual([]);
    expect(ledger).toMatchObject({ events: 2, repeated: 2, duplicated: 0, outOfOrder: 0 });
  });

  it('finds a version, an object and an end that were missed', () => {
    const ledger = ledgerOf([all(version('a', 1), version('b', 2))]);

    expect(ledger.differences('hook', [version('a', 3), version('c', 4)])).toEqual([
      'hook did not see a/3',
      'hook did not see c/4',
      'hook did not see the end of b',
    ]);
  });

  it.each([
    ['an older version', [event('Modified', 'a', 10), event('Modified', 'a', 9)]],
    ['an older list', [event('Modified', 'a', 10), all(version('a', 9))]],
    ['life after the end', [event('Deleted', 'a', 10), event('Modified', 'a', 11)]],
    ['an end that was taken back', [all(version('a', 1)), all(), all(version('a', 1))]],
  ])('calls out of order: %s', (_what, contexts) => {
    expect(ledgerOf(contexts).outOfOrder).toBe(1);
  });

  it('counts what comes twice as a duplicate, not as disorder', () => {
    const ledger = ledgerOf([event('Modified', 'a', 10)], [event('Modified', 'a', 10)]);

    expect(ledger).toMatchObject({ duplicated: 1, outOfOrder: 0 });
  });

  it('takes the end of an object, told with its last version, for no duplicate', () => {
    expect(ledgerOf([event('Modified', 'a', 10), event('Deleted', 'a', 10)])).toMatchObject({ duplicated: 0 });
  });

  it('sets aside what an operator that was killed still ran', () => {
    const ledger = new Ledger();
    ledger.record(sighting([all(version('a', 5))], { generation: 2 }));
    ledger.record(sighting([event('Modified', 'a', 4)]));

    expect(ledger).toMatchObject({ late: 1, outOfOrder: 0 });
  });
});
