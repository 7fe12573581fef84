import {
  damageDatabase,
  damageLog,
  loseDatabase,
  loseDisk,
  loseLog,
  withSlowDisks,
} from '../solutions/etcd-repair-steps.ts';
import { another, seconds, type Fault } from './fault.ts';

/** Faults of a member's process or disk. */
export const MEMBER_FAULTS: readonly Fault[] = [
  { name: 'disk emptied', replaces: 'always', act: async ({ rig }, pod) => loseDisk(rig, pod) },
  {
    name: 'claim and Pod deleted',
    replaces: 'always',
    act: async ({ rig }, pod) => {
      await rig.remove('persistentvolumeclaims', `data-${pod}`);
      await rig.remove('pods', pod);
    },
  },
  { name: 'log damaged', replaces: 'always', act: async ({ rig }, pod) => damageLog(rig, pod) },
  { name: 'database damaged', replaces: 'always', act: async ({ rig }, pod) => damageDatabase(rig, pod) },
  { name: 'log lost', replaces: 'always', act: async ({ rig }, pod) => loseLog(rig, pod) },
  { name: 'database lost', replaces: 'maybe', act: async ({ rig }, pod) => loseDatabase(rig, pod) },
  {
    name: 'cut off',
    replaces: 'always',
    act: async ({ rig }, pod) => void (await rig.kubelet.cutOff(rig.podName(pod))),
  },
  {
    name: 'disk slow for a while',
    replaces: 'maybe',
    act: async (stage, pod) => {
      const delayMs = Math.round(100 + 1400 * stage.random());
      await withSlowDisks(stage.rig, { pods: [pod], delayMs }, async () => seconds(stage, 5, 15));
    },
  },
  {
    name: 'process killed',
    replaces: 'maybe',
    act: async ({ rig }, pod) => rig.kubelet.kill(rig.podName(pod)),
  },
  {
    name: 'most members cut off for a while',
    replaces: 'maybe',
    strikesOthers: true,
    act: async (stage) => {
      const { rig } = stage;
      const most = rig.etcd.pods.slice(0, Math.floor(rig.replicas / 2) + 1);
      const again = await Promise.all(most.map(async (one) => rig.kubelet.cutOff(rig.podName(one))));
      await seconds(stage, 2, 10);
      for (const reconnect of again) await reconnect();
    },
  },
  {
    name: 'alarm NOSPACE for a while',
    replaces: 'maybe',
    act: async (stage, pod) => {
      await stage.rig.etcd.raiseAlarm(pod, 'NOSPACE');
      await seconds(stage, 1, 6);
      await stage.rig.etcd.disarm();
    },
  },
  {
    name: 'its disk full for a while',
    replaces: 'maybe',
    act: async (stage, pod) => {
      const release = await stage.rig.kubelet.fillDisk(stage.rig.namespace, `data-${pod}`);
      await seconds(stage, 5, 20);
      await release();
    },
  },
  {
    name: 'disk emptied, and another cut off for a while',
    replaces: 'always',
    strikesOthers: true,
    act: async (stage, pod) => {
      const { rig } = stage;
      await loseDisk(rig, pod);
      await seconds(stage, 0, 5);
      const reconnect = await rig.kubelet.cutOff(rig.podName(another(stage, pod)));
      await seconds(stage, 2, 20);
      await reconnect();
    },
  },
  {
    name: 'disk emptied, and another killed',
    replaces: 'always',
    strikesOthers: true,
    act: async (stage, pod) => {
      await loseDisk(stage.rig, pod);
      await seconds(stage, 0, 5);
      await stage.rig.kubelet.kill(stage.rig.podName(another(stage, pod)));
    },
  },
  {
    name: 'two disks emptied',
    replaces: 'always',
    strikesOthers: true,
    minReplicas: 5,
    act: async (stage, pod) => {
      await loseDisk(stage.rig, pod);
      await seconds(stage, 0, 5);
      await loseDisk(stage.rig, another(stage, pod));
    },
  },
];
