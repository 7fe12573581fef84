import type { EtcdOracle } from './etcd-oracle.ts';
import type { EtcdRepairRig } from './etcd-repair-rig.ts';
import { isTold, isWhole, loseDisk } from './etcd-repair-steps.ts';

/** One test of a cluster of three: an incident and its required result. The cluster is whole before and after. */
export interface Line {
  readonly title: string;
  /** The reasons of all Events that follow, in order. */
  readonly tells: readonly string[];
  readonly run: (rig: EtcdRepairRig, oracle: EtcdOracle) => Promise<void>;
}

/** Makes a follower lose its disk, and returns its name. */
export async function followerLosesDisk(rig: EtcdRepairRig): Promise<string> {
  const pod = await rig.etcd.follower();
  await loseDisk(rig, pod);
  return pod;
}

/** The reasons of the Events of a replacement. */
export const A_REPAIR: readonly string[] = ['RepairStarted', 'Repaired'];

/** Waits until the repair is done and reported. */
export async function isRepaired(rig: EtcdRepairRig, news: () => Promise<readonly string[]>): Promise<void> {
  await isTold(rig, news, 'Repaired');
  await isWhole(rig);
}
