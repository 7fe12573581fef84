import type { EtcdOracle } from './etcd-oracle.ts';
import type { EtcdRepairRig } from './etcd-repair-rig.ts';
import { isTold, isWhole, loseDisk } from './etcd-repair-steps.ts';

/** Something that happens to a cluster of three, and what must come of it. The cluster is whole before and after. */
export interface Line {
  readonly title: string;
  /** The reasons of all Events that come of it, in order. */
  readonly tells: readonly string[];
  readonly run: (rig: EtcdRepairRig, oracle: EtcdOracle) => Promise<void>;
}

/** Has a follower lose its disk, and returns its name. */
export async function followerLosesDisk(rig: EtcdRepairRig): Promise<string> {
  const pod = await rig.etcd.follower();
  await loseDisk(rig, pod);
  return pod;
}

/** What is told of a member that is replaced. */
export const A_REPAIR: readonly string[] = ['RepairStarted', 'Repaired'];

/** The repair is done, and told. */
export async function isRepaired(rig: EtcdRepairRig, news: () => Promise<readonly string[]>): Promise<void> {
  await isTold(rig, news, 'Repaired');
  await isWhole(rig);
}
