import { describe, expect, it } from 'vitest';
import { sliceOfText } from '../../src/lib/slice-hash.ts';
import { sleep } from '../../src/lib/sleep.ts';
import { forbiddenRequests, unusedRules } from './audit.ts';
import { auditedHook, overlapsIn, replicasOf } from './shards-audit.ts';
import { SHARDS_RULES } from './shards-rights.ts';
import { someNames, startShards, startSpread, type ShardsRig } from './shards-rig.ts';
import { sharedControlPlane } from './shared-control-plane.ts';
import { eventually } from './solutions/eventually.ts';

const plane = sharedControlPlane();
const never = new AbortController().signal;
/** Short rounds; a busy machine loses no Lease. */
const flags = ['--leader-election-retry-period', '500ms'];

function maps(label: string, more: object = {}): object {
  const labelSelector = { matchLabels: { shards: label } };
  const binding = { name: 'maps', apiVersion: 'v1', kind: 'ConfigMap', labelSelector, concurrency: 'byObject' };
  return { configVersion: 'v1', kubernetes: [{ ...binding, parallelism: 20, ...more }] };
}

const hooks = (label: string): Readonly<Record<string, string>> => ({
  'divided.sh': auditedHook(maps(label)),
  'whole.sh': auditedHook({ ...maps(label, { shard: 'none' }), onStartup: 1 }),
});

async function rigWith(namespaces: readonly string[]): Promise<ShardsRig> {
  return startShards({ plane: { ...plane, adminToken: plane.tokenOf('admin') }, hooks, namespaces, flags });
}

/** A name whose objects are in this slice. */
function nameIn(slice: number): string {
  const [name = ''] = someNames(2000).filter((one) => sliceOfText('mixed', one) === slice);
  return name;
}

describe('three replicas that divide objects', { timeout: 120_000 }, () => {
  it('share all of them, each on one, after a fourth has ended, whose run ends before another has its object', async () => {
    const rig = await rigWith(someNames(40));
    const [held = ''] = rig.namespaces;
    const first = rig.start('first');
    await rig.spread({ first: 64 });
    await rig.caughtUp('divided');
    rig.mark(`hold-${held}`, true);
    await rig.put(held, 'held');
    await eventually(() => expect(rig.runs().filter(({ hasEnded }) => !hasEnded)).toHaveLength(2), 60_000);

    const names = ['a', 'b', 'c'];
    const others = names.map((name) => rig.start(name));
    await eventually(
      async () => expect(Object.keys(await rig.slices())).toEqual(expect.arrayContaining(names)),
      60_000,
    );
    first.signal('SIGTERM');
    await sleep(4000, never);
    expect(replicasOf(rig.runs(), held)).toEqual(['first']);
    rig.mark(`hold-${held}`, false);
    expect(await first.ended).toBe(0);
    const fair = expect.toSatisfy((count: number) => count >= 20 && count <= 23);
    await rig.spread({ a: fair, b: fair, c: fair });
    // So that the changes come as events.
    await rig.caughtUp('divided', { of: names });
    for (const name of rig.namespaces) await rig.put(name, '1');
    await rig.caughtUp('divided');
    await rig.caughtUp('whole');

    const runs = rig.runs();
    expect(overlapsIn(runs)).toEqual([]);
    const divided = runs.filter(({ hook, reasons }) => hook === 'divided' && reasons.length === 0);
    const after = divided.filter(({ replica }) => replica !== 'first');
    const workers = rig.namespaces.map((name) => new Set(replicasOf(after, name)));
    expect(workers.filter(({ size }) => size !== 1)).toEqual([]);
    expect(new Set(after.map(({ replica }) => replica))).toEqual(new Set(names));
    const ofWhole = runs.filter(({ hook, replica }) => hook === 'whole' && replica !== 'first');
    expect(new Set(ofWhole.map(({ replica }) => replica)).size).toBe(1);
    for (const other of others) {
      other.signal('SIGTERM');
      expect(await other.ended).toBe(0);
    }
  });

  it('need no right but those of Leases and of one ConfigMap in their namespace, and need all of these', async () => {
    const rig = await rigWith(someNames(4));
    await startSpread(rig, ['a', 'b', 'c']);
    await rig.caughtUp('divided');
    const requests = async () => plane.auditLog();
    // The Lease of the first goes when it has been seen as ended for 15 s.
    await eventually(async () => expect(unusedRules(SHARDS_RULES, await requests(), rig.user)).toEqual([]), 60_000);

    expect(forbiddenRequests(await requests(), rig.user)).toEqual([]);
  });
});

describe('a replica that joins', { timeout: 120_000 }, () => {
  it('gets each slice when the run about it has ended at the one that had it, with all that has changed meanwhile', async () => {
    // One that has all slices gives the last 8 first, and never the first 32.
    const [moved, next] = [nameIn(59), nameIn(62)];
    const rig = await rigWith([moved, next, ...someNames(20).filter((name) => sliceOfText('mixed', name) < 32)]);
    rig.start('first');
    await rig.spread({ first: 64 });
    await rig.caughtUp('divided');
    rig.mark(`hold-${moved}`, true);
    await rig.put(moved, 'held');
    await eventually(() => expect(rig.runs().filter(({ hasEnded }) => !hasEnded)).toHaveLength(2), 60_000);

    rig.start('second');
    await rig.spread({ first: 57, second: 7 });
    await rig.put(moved, 'while it moves');
    // Nothing else moves until this one has.
    await sleep(12_000, never);
    expect(await rig.slices()).toEqual({ first: 57, second: 7 });
    rig.mark(`hold-${moved}`, false);

    await eventually(async () => expect((await rig.slices())['second']).toBeGreaterThanOrEqual(8), 60_000);
    await rig.caughtUp('divided');
    await rig.put(moved, 'after');
    await rig.caughtUp('divided');
    const runs = rig.runs().filter(({ hook, objects }) => hook === 'divided' && objects.length > 0);
    expect(overlapsIn(rig.runs())).toEqual([]);
    expect(replicasOf(runs, moved)).toEqual(['first', 'second']);
    expect(replicasOf(runs, next)).toEqual(['first', 'second']);
    const ofSecond = runs.filter(({ replica }) => replica === 'second');
    // The first slices are in its ordinary Synchronization.
    expect(ofSecond.map(({ reasons }) => reasons)).toEqual([['start'], ['handover'], []]);
    const namespaces = ofSecond.flatMap(({ objects }) => objects.map(({ namespace }) => namespace));
    expect(namespaces).toEqual([next, moved, moved]);
  });
});
