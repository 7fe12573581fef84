import { sleep } from '../../../src/lib/sleep.ts';
import type { EtcdOracle } from '../examples/etcd-oracle.ts';
import type { EtcdRepairRig } from '../examples/etcd-repair-rig.ts';

/** A cluster, what watches it, and the dice. */
export interface Stage {
  readonly rig: EtcdRepairRig;
  readonly oracle: EtcdOracle;
  readonly random: () => number;
}

/** Something bad. When it is over the cluster must become whole again by itself. */
export interface Fault {
  readonly name: string;
  /** Whether the member that it strikes is replaced because of it. */
  readonly replaces: 'always' | 'maybe' | 'never';
  /** It strikes others as well, who may be replaced then. */
  readonly strikesOthers?: true;
  /** Where only those who repair are struck meanwhile, so that nothing excuses a wrong replacement. */
  readonly isJudged?: true;
  readonly minReplicas?: number;
  readonly act: (stage: Stage, pod: string) => Promise<void>;
}

const NEVER = new AbortController().signal;

/** Lets some seconds pass. */
export async function seconds({ random }: Stage, least: number, most: number): Promise<void> {
  await sleep(1000 * (least + (most - least) * random()), NEVER);
}

/** One of several. */
export function pick<T>(items: readonly T[], random: () => number): T {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error('there is nothing to choose from');
  return item;
}

/** Another member than this one. */
export function another({ rig, random }: Stage, pod: string): string {
  const others = rig.etcd.pods.filter((one) => one !== pod);
  return pick(others, random);
}
