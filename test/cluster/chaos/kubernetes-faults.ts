import { eventually } from '../solutions/eventually.ts';
import type { EtcdRepairRig } from '../solutions/etcd-repair-rig.ts';
import { loseDisk } from '../solutions/etcd-repair-steps.ts';
import { seconds, type Fault } from './fault.ts';
import { tells } from './told.ts';

/** Faults of the Kubernetes cluster around etcd. */
export const KUBERNETES_FAULTS: readonly Fault[] = [
  {
    name: 'its node dead, and back with its disk',
    replaces: 'never',
    isJudged: true,
    act: async (stage, pod) => {
      const { rig } = stage;
      const release = await holdPod(rig, pod);
      await tells(rig, /^NodeLost$/, async () => rig.remove('pods', pod));
      await seconds(stage, 0, 10);
      await release();
    },
  },
  {
    name: 'disk emptied on a node that dies',
    replaces: 'always',
    act: async (stage, pod) => {
      const release = await holdPod(stage.rig, pod);
      await loseDisk(stage.rig, pod);
      await seconds(stage, 10, 40);
      await release();
    },
  },
  {
    name: 'disk emptied while a quota forbids Pods',
    replaces: 'always',
    isJudged: true,
    act: async (stage, pod) => {
      const { rig } = stage;
      const release = await forbidPods(rig);
      const before = await memberOf(rig, pod);
      await tells(rig, /^PodCannotBeMade$/, async () => loseDisk(rig, pod));
      await seconds(stage, 0, 15);
      const after = await memberOf(rig, pod);
      await release();
      if (after !== before) throw new Error(`${pod} was removed, though no Pod could be made for it`);
    },
  },
  {
    name: 'disk emptied while the volume for snapshots is full',
    replaces: 'always',
    act: async (stage, pod) => {
      const release = await stage.rig.kubelet.fillDisk(stage.rig.namespace, 'etcd-member-repair');
      await loseDisk(stage.rig, pod);
      await seconds(stage, 5, 20);
      await release();
    },
  },
];

async function memberOf({ etcd }: EtcdRepairRig, pod: string): Promise<string | undefined> {
  return eventually(async () => (await etcd.members()).find(({ name }) => name === pod)?.ID);
}

/** The end of the Pod is not confirmed until the returned function is called, as on a node that does not report. */
async function holdPod(rig: EtcdRepairRig, pod: string): Promise<() => Promise<void>> {
  const hold = async (finalizers: readonly string[] | null): Promise<void> =>
    rig.patch('pods', pod, { metadata: { finalizers } });
  await hold(['example.com/node-is-silent']);
  return async () => eventually(async () => hold(null));
}

/** Forbids new Pods until the returned function is called. */
async function forbidPods(rig: EtcdRepairRig): Promise<() => Promise<void>> {
  const quota = ['resourcequota', 'no-pods'];
  await rig.kubectl('create', 'quota', 'no-pods', '--hard=pods=0');
  // The quota takes effect once the controller has counted its use.
  await eventually(async () => {
    const used = await rig.kubectl('get', ...quota, '-o', 'jsonpath={.status.used.pods}');
    if (used === '') throw new Error('nobody has counted the Pods of the quota yet');
  });
  return async () => {
    await rig.kubectl('delete', ...quota);
  };
}
