import type { EtcdOracle } from './etcd-oracle.ts';
import type { Twin } from './etcd-repair-image.ts';
import type { EtcdRepairRig } from './etcd-repair-rig.ts';
import { isTold, isWhole, loseDisk } from './etcd-repair-steps.ts';

/** Something that happens to a cluster of three, and what must come of it. The cluster is whole before and after. */
export interface Line {
  readonly title: string;
  /** The hook it is run with in the usual suite; default shell. */
  readonly with?: Twin | 'both';
  readonly run: (rig: EtcdRepairRig, oracle: EtcdOracle) => Promise<void>;
}

/** Has a follower lose its disk, and returns its name. */
export async function followerLosesDisk(rig: EtcdRepairRig): Promise<string> {
  const pod = await rig.etcd.follower();
  await loseDisk(rig, pod);
  return pod;
}

/** The repair is done, and told. */
export async function isRepaired(rig: EtcdRepairRig, news: () => Promise<readonly string[]>): Promise<void> {
  await isTold(rig, news, 'Repaired');
  await isWhole(rig);
}

/** What a slow machine may bring about besides: members that do not answer in time. */
const OF_SLOWNESS = ['JoinFailed', 'JoinIsSlow', 'SnapshotFailed', 'QuorumLost', 'SeveralMembersDown'];

/** The news without that, and without repairs that were called off as the member came back. */
export async function told(news: () => Promise<readonly string[]>): Promise<readonly string[]> {
  return withoutSlowness(await news());
}

/** The same of what came before a reason was told. */
export async function toldBefore(reason: string, news: () => Promise<readonly string[]>): Promise<readonly string[]> {
  const reasons = await news();
  return withoutSlowness(reasons.slice(0, reasons.indexOf(reason)));
}

function withoutSlowness(reasons: readonly string[]): readonly string[] {
  const rest = reasons.filter((reason) => !OF_SLOWNESS.includes(reason));
  const isCalledOff = (at: number): boolean => rest[at] === 'RepairStarted' && rest[at + 1] === 'Recovered';
  return rest.filter((_, at) => !isCalledOff(at) && !isCalledOff(at - 1));
}
