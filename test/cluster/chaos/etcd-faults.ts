import { sleep } from '../../../src/lib/sleep.ts';
import type { EtcdOracle } from '../examples/etcd-oracle.ts';
import type { EtcdRepairRig } from '../examples/etcd-repair-rig.ts';
import {
  damageDatabase,
  damageLog,
  loseDatabase,
  loseDisk,
  loseLog,
  withSlowDisks,
} from '../examples/etcd-repair-steps.ts';

/** A cluster, what watches it, and the dice. */
export interface Stage {
  readonly rig: EtcdRepairRig;
  readonly oracle: EtcdOracle;
  readonly random: () => number;
}

/** Something bad. When it is over the cluster must become whole again by itself. */
export interface Fault {
  readonly name: string;
  /** Whether a member must be replaced because of it. */
  readonly isForGood: boolean;
  readonly act: (stage: Stage, pod: string) => Promise<void>;
}

const NEVER = new AbortController().signal;

/** What is done to a member. */
export const MEMBER_FAULTS: readonly Fault[] = [
  { name: 'disk emptied', isForGood: true, act: async ({ rig }, pod) => loseDisk(rig, pod) },
  {
    name: 'claim and Pod deleted',
    isForGood: true,
    act: async ({ rig }, pod) => {
      await rig.remove('persistentvolumeclaims', `data-${pod}`);
      await rig.remove('pods', pod);
    },
  },
  { name: 'log damaged', isForGood: true, act: async ({ rig }, pod) => damageLog(rig, pod) },
  { name: 'database damaged', isForGood: true, act: async ({ rig }, pod) => damageDatabase(rig, pod) },
  { name: 'log lost', isForGood: true, act: async ({ rig }, pod) => loseLog(rig, pod) },
  { name: 'database lost', isForGood: false, act: async ({ rig }, pod) => loseDatabase(rig, pod) },
  {
    name: 'cut off',
    isForGood: true,
    act: async ({ rig }, pod) => void (await rig.kubelet.cutOff(rig.podName(pod))),
  },
  { name: 'alarm CORRUPT', isForGood: true, act: async ({ rig }, pod) => rig.etcd.raiseAlarm(pod, 'CORRUPT') },
  {
    name: 'disk slow for a while',
    isForGood: false,
    act: async ({ rig, random }, pod) => {
      const delayMs = Math.round(100 + 1400 * random());
      await withSlowDisks(rig, { pods: [pod], delayMs }, async () => sleep(5000 + 10_000 * random(), NEVER));
    },
  },
  {
    name: 'process killed',
    isForGood: false,
    act: async ({ rig }, pod) => rig.kubelet.kill(rig.podName(pod)),
  },
  {
    name: 'most members cut off for a while',
    isForGood: false,
    act: async ({ rig, random }) => {
      const most = rig.etcd.pods.slice(0, Math.floor(rig.replicas / 2) + 1);
      const again = await Promise.all(most.map(async (one) => rig.kubelet.cutOff(rig.podName(one))));
      await sleep(2000 + 8000 * random(), NEVER);
      for (const reconnect of again) await reconnect();
    },
  },
  {
    name: 'alarm NOSPACE for a while',
    isForGood: false,
    act: async ({ rig, random }, pod) => {
      await rig.etcd.raiseAlarm(pod, 'NOSPACE');
      await sleep(1000 + 5000 * random(), NEVER);
      await rig.etcd.disarm();
    },
  },
];

/** What is done meanwhile to those who repair. */
export const HOOK_FAULTS: readonly Fault[] = [
  { name: 'nothing', isForGood: false, act: async () => {} },
  {
    name: 'all disks slow',
    isForGood: false,
    act: async ({ rig, random }, pod) => {
      const pods = rig.etcd.pods.filter((one) => one !== pod);
      const delayMs = Math.round(20 + 80 * random());
      await withSlowDisks(rig, { pods, delayMs }, async () => sleep(20_000 + 10_000 * random(), NEVER));
    },
  },
  {
    name: 'operator killed again and again',
    isForGood: false,
    act: async ({ rig, random }) => {
      for (let times = 0; times < 3; times++) {
        await sleep(1000 + 4000 * random(), NEVER);
        const [pod] = await rig.hookPods();
        await rig.kubelet.kill(rig.podName(pod?.metadata?.name ?? '')).catch(() => {});
      }
    },
  },
  {
    name: 'hook killed at a step',
    isForGood: false,
    act: async ({ rig, random }) => {
      const calls = ['snapshot-save', 'member-remove', 'member-add', 'member-promote'];
      const call = `${random() < 0.5 ? 'before' : 'after'}-${calls[Math.floor(random() * calls.length)] ?? ''}`;
      const mark = `/tmp/${crypto.randomUUID()}`;
      await rig.control(call, `[ -e ${mark} ] || { : > ${mark}; kill -9 0; }\n`);
    },
  },
  {
    name: 'two operators',
    isForGood: false,
    act: async ({ rig, random }) => {
      await rig.scaleHook(2);
      await sleep(10_000 + 20_000 * random(), NEVER);
      await rig.scaleHook(1);
    },
  },
  {
    name: 'the new member killed while it joins',
    isForGood: false,
    act: async ({ rig }) => {
      for (let times = 0; times < 100; times++) {
        await sleep(300, NEVER);
        const learner = (await rig.etcd.members().catch(() => [])).find(({ isLearner }) => isLearner);
        const pod = learner?.peerURLs[0]?.replace(/^.*\/\/|\..*$/g, '');
        if (pod === undefined) continue;
        await rig.kubelet.kill(rig.podName(pod)).catch(() => {});
        return;
      }
    },
  },
];
