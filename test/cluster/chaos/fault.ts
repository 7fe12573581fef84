import { sleep } from '../../../src/lib/sleep.ts';
import type { EtcdOracle } from '../solutions/etcd-oracle.ts';
import type { EtcdRepairRig } from '../solutions/etcd-repair-rig.ts';

/** The environment of a fault: a cluster, its oracle, and random numbers. */
export interface Stage {
  readonly rig: EtcdRepairRig;
  readonly oracle: EtcdOracle;
  readonly random: () => number;
}

/** A fault. When it is over, the cluster must become whole again by itself. */
export interface Fault {
  readonly name: string;
  /** Whether the member with the fault is replaced because of it. */
  readonly replaces: 'always' | 'maybe' | 'never';
  /** The fault also affects other members, which may then be replaced. */
  readonly strikesOthers?: true;
  /** Only the hook and the operator suffer another fault meanwhile, so that nothing excuses a wrong replacement. */
  readonly isJudged?: true;
  readonly minReplicas?: number;
  readonly act: (stage: Stage, pod: string) => Promise<void>;
}

const NEVER = new AbortController().signal;

/** Waits for a random number of seconds. */
export async function seconds({ random }: Stage, least: number, most: number): Promise<void> {
  await sleep(1000 * (least + (most - least) * random()), NEVER);
}

/** A random item. */
export function pick<T>(items: readonly T[], random: () => number): T {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error('there is nothing to choose from');
  return item;
}

/** A random member other than this one. */
export function another({ rig, random }: Stage, pod: string): string {
  const others = rig.etcd.pods.filter((one) => one !== pod);
  return pick(others, random);
}
