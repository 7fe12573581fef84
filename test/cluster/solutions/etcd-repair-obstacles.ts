import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { V1ResourceQuota } from '@kubernetes/client-node';
import { expect } from 'vitest';
import { stringify } from 'yaml';
import { eventually } from './eventually.ts';
import { A_REPAIR, followerLosesDisk, isRepaired, type Line } from './etcd-repair-line.ts';
import type { EtcdRepairRig } from './etcd-repair-rig.ts';
import { isTold, isWhole, newsOf, storageOf } from './etcd-repair-steps.ts';

/** Tests in which a new Pod could not be created, or not like the old one. */
export const OBSTACLES: readonly Line[] = [
  {
    title: 'leaves a disk alone as long as a quota or admission refuses what is made anew, and asks no more than that',
    tells: ['PodCannotBeMade', ...A_REPAIR],
    run: async (rig) => {
      const news = await newsOf(rig);
      const before = await storageOf(rig);
      await apply(rig, quota({ pods: '1', persistentvolumeclaims: '100' }));
      const used = await usedOf(rig);

      await followerLosesDisk(rig);

      const told = await isTold(rig, news, 'PodCannotBeMade');
      expect(told).toMatch(new RegExp(`quota tight.* pods=${used['pods']} of 1.*kubectl describe resourcequota tight`));
      await apply(rig, quota({ pods: '100', persistentvolumeclaims: '1' }));
      await saysAnew(rig, new RegExp(`persistentvolumeclaims=${used['persistentvolumeclaims']} of 1`));
      await apply(rig, SMALL_CONTAINERS);
      await apply(rig, quota({ pods: '100', persistentvolumeclaims: '100' }));
      await saysAnew(rig, /maximum memory usage per Container is 20Mi/);
      expect(await storageOf(rig)).toEqual(before);
      // The quota is exactly full: the old Pod and claim make room for the new ones.
      await apply(rig, quota(used));
      await rig.remove('limitranges', 'small');
      await isRepaired(rig, news);
      await rig.remove('resourcequotas', 'tight');
    },
  },
  {
    title: 'replaces a member where its Pod is made as those that run are, with a partition and with OnDelete',
    tells: [...A_REPAIR, ...A_REPAIR],
    run: async (rig) => {
      const template = { metadata: { annotations: { revision: crypto.randomUUID() } } };
      const news = await newsOf(rig);
      await updates(rig, { type: 'RollingUpdate', rollingUpdate: { partition: rig.replicas } }, template);

      await followerLosesDisk(rig);
      await isRepaired(rig, news);

      await updates(rig, { type: 'OnDelete', rollingUpdate: null });
      await deleteEachPod(rig);
      const later = await newsOf(rig);
      await followerLosesDisk(rig);
      await isRepaired(rig, later);

      await updates(rig, { type: 'RollingUpdate', rollingUpdate: null });
      await eventually(async () => {
        const { currentRevision, updateRevision } = (await rig.statefulSet()).status ?? {};
        expect(currentRevision).toBe(updateRevision);
      });
      await isWhole(rig);
    },
  },
  {
    title: 'refuses where a Pod would be made of a revision that no member runs',
    tells: ['StatefulSetUpdating', ...A_REPAIR],
    run: async (rig) => {
      const news = await newsOf(rig);
      const before = await storageOf(rig);
      await updates(rig, { type: 'OnDelete', rollingUpdate: null });
      await rig.kubectl('set', 'image', 'statefulset/etcd', 'etcd=registry.example.com/missing:1');

      await followerLosesDisk(rig);

      expect(await isTold(rig, news, 'StatefulSetUpdating')).toContain('kubectl rollout undo');
      expect(await storageOf(rig)).toEqual(before);
      await rig.kubectl('rollout', 'undo', 'statefulset/etcd');
      await updates(rig, { type: 'RollingUpdate', rollingUpdate: null });
      await isRepaired(rig, news);
    },
  },
];

const SMALL_CONTAINERS = {
  apiVersion: 'v1',
  kind: 'LimitRange',
  metadata: { name: 'small' },
  spec: { limits: [{ type: 'Container', max: { memory: '20Mi' } }] },
};

function quota(hard: Readonly<Record<string, string>>): object {
  return { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'tight' }, spec: { hard } };
}

/** The used part of the quota, once it is known. */
async function usedOf(rig: EtcdRepairRig): Promise<Readonly<Record<string, string>>> {
  return eventually(async () => {
    const used = (await rig.get<V1ResourceQuota>('resourcequotas', 'tight'))?.status?.used ?? {};
    expect(Number(used['pods'])).toBeGreaterThan(rig.replicas);
    expect(Number(used['persistentvolumeclaims'])).toBeGreaterThan(rig.replicas);
    return used;
  });
}

async function apply(rig: EtcdRepairRig, object: object): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'hooklet-apply-'));
  try {
    await writeFile(join(folder, 'object.yaml'), stringify(object));
    await rig.kubectl('apply', '-f', join(folder, 'object.yaml'));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Waits until the hook reports something new. */
async function saysAnew(rig: EtcdRepairRig, text: RegExp): Promise<void> {
  const [pod] = await rig.hookPods();
  const name = rig.podName(pod?.metadata?.name ?? '');
  const before = (await rig.kubelet.logs(name)).length;
  await eventually(async () => expect((await rig.kubelet.logs(name)).slice(before)).toMatch(text));
}

async function updates(rig: EtcdRepairRig, updateStrategy: object, template = {}): Promise<void> {
  await rig.patch('statefulsets', 'etcd', { spec: { updateStrategy, template } });
}

/** Deletes these one after the other, while no repair is made. */
async function deleteEachPod(rig: EtcdRepairRig): Promise<void> {
  await rig.scaleHook(0);
  await eventually(async () => expect(await rig.hookPods()).toEqual([]));
  for (const pod of rig.etcd.pods) {
    await rig.remove('pods', pod);
    await isWhole(rig);
  }
  await rig.scaleHook(1);
}
