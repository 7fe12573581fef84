import { expect } from 'vitest';
import { isWhole } from '../solutions/etcd-repair-steps.ts';
import { eventually } from '../solutions/eventually.ts';
import type { EtcdRepairRig } from '../solutions/etcd-repair-rig.ts';
import { DATA_FAULTS } from './data-faults.ts';
import { pick, type Fault, type Stage } from './fault.ts';
import type { Round } from './figures.ts';
import { HOOK_FAULTS } from './hook-faults.ts';
import { KUBERNETES_FAULTS } from './kubernetes-faults.ts';
import { MEMBER_FAULTS } from './member-faults.ts';
import { NETWORK_FAULTS } from './network-faults.ts';
import { seededRandom } from './random.ts';

const CHOSEN = new RegExp(process.env['CHAOS_FAULTS'] ?? '');
const FAULTS = [...MEMBER_FAULTS, ...NETWORK_FAULTS, ...DATA_FAULTS, ...KUBERNETES_FAULTS].filter(({ name }) =>
  CHOSEN.test(name),
);
const WHOLE_LIMIT_MS = 300_000;

/**
 * Injects one fault into a member and another into the hook or its surroundings, and waits until the cluster is
 * whole.
 */
export async function strike({ rig, oracle, random }: Stage): Promise<Round> {
  const fault = pick(
    FAULTS.filter(({ minReplicas = 0 }) => rig.replicas >= minReplicas),
    random,
  );
  const meanwhile = pick(
    HOOK_FAULTS.filter(({ strikesOthers = false }) => fault.isJudged !== true || !strikesOthers),
    random,
  );
  const pod = pick(rig.etcd.pods, random);
  // Each fault has a generator of its own, since the order in which they draw numbers is not fixed.
  const stage = (): Stage => ({ rig, oracle, random: seededRandom(Math.floor(2 ** 32 * random())) });
  const [one, other] = [stage(), stage()];
  const isLeader = (await rig.etcd.leader().catch(() => '')) === pod;
  const name = `${fault.name}${isLeader ? ' (leader)' : ''}, meanwhile ${meanwhile.name}`;
  console.log(`${new Date().toISOString().slice(11, 19)} ${rig.replicas} members: ${pod} ${name}`);
  await compact(rig);
  const before = await eventually(async () => idsOf(rig));
  // etcd adds no member while a lost one is listed: if two are lost, both are removed first.
  const isOfTwo = fault.strikesOthers === true || meanwhile.strikesOthers === true;
  oracle.allowVoters(rig.replicas - (isOfTwo && rig.replicas >= 5 ? 2 : 1));
  const startedAtMs = Date.now();
  const [seconds] = await Promise.all([
    fault.act(one, pod).then(async () => {
      // The cluster also counts as whole before the failure shows.
      if (fault.replaces === 'always') {
        await eventually(async () => {
          expect([before[pod], undefined]).not.toContain((await idsOf(rig))[pod]);
        }, WHOLE_LIMIT_MS);
      }
      await isWhole(rig, WHOLE_LIMIT_MS);
      return Math.round((Date.now() - startedAtMs) / 1000);
    }),
    meanwhile.act(other, pod),
  ]);
  await isWhole(rig, WHOLE_LIMIT_MS);
  const after = await eventually(async () => idsOf(rig));
  const replaced = rig.etcd.pods.filter((member) => before[member] !== after[member]);
  const unharmed = unharmedOf(replaced, { pod, fault, isCalm: meanwhile.strikesOthers !== true });
  if (fault.isJudged === true) expect(unharmed, `replaced by "${name}" of ${pod}`).toEqual([]);
  const wasSentSnapshot = replaced.includes(pod) && (await rig.etcd.databasesReceived(pod)) > 0;
  return { fault: fault.name, wasForGood: fault.replaces === 'always', seconds, wasSentSnapshot, unharmed };
}

interface Struck {
  readonly pod: string;
  readonly fault: Fault;
  readonly isCalm: boolean;
}

/** The replaced members that had no fault. */
function unharmedOf(replaced: readonly string[], { pod, fault, isCalm }: Struck): readonly string[] {
  const others = fault.strikesOthers === true || !isCalm ? [] : replaced.filter((member) => member !== pod);
  return fault.replaces === 'never' && replaced.includes(pod) ? [pod, ...others] : others;
}

async function idsOf({ etcd }: EtcdRepairRig): Promise<Readonly<Record<string, string>>> {
  return Object.fromEntries((await etcd.members()).map(({ name, ID }) => [name, ID]));
}

/** Compacts old revisions, as is usual in a maintained cluster. */
async function compact({ etcd }: EtcdRepairRig): Promise<void> {
  await eventually(async () => {
    const revision = Math.max(...(await etcd.statuses()).map((status) => status.revision));
    await etcd.anybody('kv/compaction', { revision: String(Math.max(1, revision - 100)) }).catch((error: unknown) => {
      if (!String(error).includes('has been compacted')) throw error;
    });
  });
}
