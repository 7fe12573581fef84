import { afterAll, expect, it } from 'vitest';
import { EtcdOracle } from '../solutions/etcd-oracle.ts';
import { untoldEnds } from '../solutions/etcd-repair-ends.ts';
import { describe } from '../solutions/etcd-repair-pool.ts';
import { startEtcdRepair, type EtcdRepairRig, type RepairEvent } from '../solutions/etcd-repair-rig.ts';
import { isBootstrapped, isWhole } from '../solutions/etcd-repair-steps.ts';
import { eventually } from '../solutions/eventually.ts';
import { sharedControlPlane } from '../shared-control-plane.ts';
import { figures, inWords, type ClusterKind, type Figures, type Round } from './figures.ts';
import { seededRandom } from './random.ts';
import { strike } from './strike.ts';

const plane = sharedControlPlane();
const seed = Number(process.env['CHAOS_SEED'] ?? 1);
const minutes = Number(process.env['CHAOS_MINUTES'] ?? 1);
const megabytes = Number(process.env['CHAOS_MEGABYTES'] ?? 0);
// Short limits, so that members are replaced that might have recovered by themselves.
const HASTY = {
  ETCD_TIMEOUT_SECONDS: '2',
  REPAIR_AFTER_SECONDS: '3',
  REPAIR_JOIN_SECONDS: '20',
  REPAIR_MAX_PER_DAY: '1000',
};
// The log does not go back to the beginning, so a new member is sent the database.
const SHORT_LOG = { ETCD_SNAPSHOT_COUNT: '100', ETCD_SNAPSHOT_CATCHUP_ENTRIES: '20' };
const HALF_MEGABYTE = 'x'.repeat(500_000);
const all: Figures[] = [];

afterAll(() => console.log(JSON.stringify(all)));

it.concurrent.each([3, 5])('a cluster of %i members survives whatever happens to it', async (replicas) => {
  const random = seededRandom(seed + replicas);
  const kind: ClusterKind = { replicas, tls: random() < 0.5, auth: random() < 0.5 };
  await using rig = await startEtcdRepair({ plane, ...kind, settings: HASTY, memberEnv: SHORT_LOG });
  await isBootstrapped(rig);
  await isWhole(rig);
  await fill(rig);
  const oracle = new EtcdOracle(rig.etcd);
  oracle.start();
  const rounds: Round[] = [];
  const end = Date.now() + minutes * 60_000;
  // Collected here, because the server deletes Events after an hour.
  const told = new Map<string, RepairEvent>();
  const listen = async (): Promise<void> => {
    for (const event of await rig.events()) told.set(event.name, event);
  };
  const failures: string[] = [];
  try {
    while (Date.now() < end) {
      rounds.push(await strike({ rig, oracle, random }));
      await listen();
    }
    await eventually(async () => {
      await listen();
      expect(untoldEnds([...told.values()])).toEqual([]);
    });
  } catch (error) {
    failures.push(error instanceof Error ? error.message : 'what was thrown is no error');
    console.log(await describe(rig));
  }
  const report = await oracle.stop();
  await listen();
  const events = [...told.values()];
  const violations = [...report.violations, ...untoldEnds(events), ...failures];
  const found = figures({ ...kind, seed, minutes, megabytes }, rounds, events, { ...report, violations });
  all.push(found);
  console.log(inWords(found));
  expect(violations).toEqual([]);
});

/** Writes as much data as the cluster is to hold. */
async function fill({ etcd }: EtcdRepairRig): Promise<void> {
  for (let half = 0; half < 2 * megabytes; half++) {
    await eventually(async () => etcd.put(`ballast/${half}`, HALF_MEGABYTE));
  }
}
