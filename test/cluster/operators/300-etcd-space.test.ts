import { expect, it } from 'vitest';
import { sharedControlPlane } from '../shared-control-plane.ts';
import { encoded, type EtcdApi } from '../solutions/etcd-api.ts';
import { EtcdOracle } from '../solutions/etcd-oracle.ts';
import { eventually } from '../solutions/eventually.ts';
import { startEtcdOperator, type EtcdClusterRig } from './etcd-cluster-rig.ts';

const plane = sharedControlPlane();
const LIMIT = { timeout: 2_400_000 };
const QUOTA = 16 * 1024 * 1024;
const VALUE = encoded('x'.repeat(100_000));

async function put(etcd: EtcdApi): Promise<void> {
  await etcd.anybody('kv/put', { key: encoded('large'), value: VALUE });
}

async function sizes(etcd: EtcdApi, pods: readonly string[]): Promise<readonly number[]> {
  return Promise.all(
    pods.map(async (pod) => Number((await etcd.ask<{ readonly dbSize: string }>(pod, 'maintenance/status')).dbSize)),
  );
}

/** The Events of these reasons in their order, without what was told before. */
async function told(rig: EtcdClusterRig, reasons: RegExp, before = 0): Promise<readonly string[]> {
  const { items }: { readonly items: readonly { readonly reason: string; readonly message: string }[] } = JSON.parse(
    await rig.kubectl('get', 'events', '--sort-by=.metadata.creationTimestamp', '-o', 'json'),
  );
  const found = items.filter(({ reason }) => reasons.test(reason));
  return found.slice(before).map(({ reason, message }) => `${reason} ${message}`);
}

/** What etcd alone knows is looked at every five minutes; a change of the object is looked at at once. */
async function look(rig: EtcdClusterRig, turn: string): Promise<void> {
  await rig.kubectl('annotate', 'etcdcluster', 'etcd', `test/turn=${turn}`, '--overwrite');
}

it(
  'files that are half free are defragmented with the leader last, and NOSPACE is ended, while no member is replaced (etcd-io PR#401)',
  LIMIT,
  async () => {
    await using rig = await startEtcdOperator(plane);
    const options = { heartbeatMilliseconds: 100, electionMilliseconds: 2000, quotaBackendBytes: QUOTA };
    await rig.ask({ options, defragment: { least: '5Mi', freePercent: 50 } });
    const { members = [] } = await rig.isReady(3);
    const etcd = rig.clients(3);
    const oracle = new EtcdOracle(etcd);
    oracle.start();

    // Ten megabytes of revisions, which a compaction frees.
    for (let count = 0; count < 100; count++) await put(etcd);
    const leader = await etcd.leader();
    const { revision } = await etcd.status(leader);
    await etcd.anybody('kv/compaction', { revision: String(revision), physical: true });
    expect(Math.min(...(await sizes(etcd, etcd.pods)))).toBeGreaterThan(8_000_000);
    await look(rig, 'free');
    await eventually(async () => expect(await told(rig, /^MemberDefragmented$/)).toHaveLength(3));
    const order = await told(rig, /^(?:MemberDefragmented|LeaderMoved)$/);
    expect(order.at(-1)).toContain(`MemberDefragmented ${leader.replace(/-0$/, '')} `);
    expect(order.some((line) => line.startsWith('LeaderMoved'))).toBe(true);
    await eventually(async () => expect(Math.max(...(await sizes(etcd, etcd.pods)))).toBeLessThan(5_000_000));

    await expect(
      (async () => {
        for (let count = 0; count < 400; count++) await put(etcd);
      })(),
    ).rejects.toThrow('database space exceeded');
    await look(rig, 'full');
    await eventually(async () => expect(await told(rig, /^AlarmDisarmed$/)).toHaveLength(1));
    await eventually(async () => put(etcd));

    const after = await rig.isReady(3);
    expect(after.members?.map(({ id }) => id).toSorted()).toEqual(members.map(({ id }) => id).toSorted());
    expect(await told(rig, /^(?:MemberReplaced|MemberRemoved)$/)).toEqual([]);
    expect((await told(rig, /^(?:Compacted|NoSpace)$/)).length).toBeGreaterThanOrEqual(2);
    const { violations, acknowledged } = await oracle.stop();
    expect(violations).toEqual([]);
    expect(acknowledged).toBeGreaterThan(50);
    expect(await rig.refused()).toEqual([]);
  },
);
