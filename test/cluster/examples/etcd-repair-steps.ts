import type { V1PersistentVolumeClaim, V1Pod } from '@kubernetes/client-node';
import { expect } from 'vitest';
import { eventually } from './eventually.ts';
import { markerOf, type EtcdRepairRig } from './etcd-repair-rig.ts';

/** Waits until all members are voters that answer, hold the same, and nothing is left to be done. */
export async function isWhole(rig: EtcdRepairRig, timeoutMs = 150_000): Promise<void> {
  await eventually(async () => {
    const members = await rig.etcd.members();
    expect(members).toHaveLength(rig.replicas);
    expect(members.filter(({ isLearner }) => isLearner)).toEqual([]);
    expect(await rig.etcd.statuses()).toHaveLength(rig.replicas);
    expect(await rig.state()).toEqual({});
    expect(new Set(await rig.etcd.hashes()).size).toBe(1);
  }, timeoutMs);
}

/** Waits until a new cluster is whole for the first time. */
export async function isBootstrapped(rig: EtcdRepairRig): Promise<void> {
  await eventually(async () => {
    expect(await markerOf(rig)).toBe('existing');
    expect((await rig.events()).map(({ reason }) => reason)).toContain('Bootstrapped');
  });
}

/** What is told of one repair or refusal; Events of before are not counted. */
export async function newsOf(rig: EtcdRepairRig): Promise<() => Promise<readonly string[]>> {
  const before = (await rig.events()).length;
  return async () => (await rig.events()).slice(before).map(({ reason }) => reason);
}

/** Waits until a reason is told, and returns the Event. */
export async function isTold(rig: EtcdRepairRig, news: () => Promise<readonly string[]>, reason: string) {
  await eventually(async () => expect(await news()).toContain(reason));
  const event = (await rig.events()).findLast((one) => one.reason === reason);
  return event?.message ?? '';
}

/** What must not change where the hook refuses: Pod, claim and member of each. */
export async function storageOf(rig: EtcdRepairRig): Promise<readonly string[]> {
  const uids = rig.etcd.pods.map(async (pod) => {
    const found = await rig.get<V1Pod>('pods', pod);
    const claim = await rig.get<V1PersistentVolumeClaim>('persistentvolumeclaims', `data-${pod}`);
    return `${pod} ${found?.metadata?.uid} ${claim?.metadata?.uid} ${claim?.metadata?.deletionTimestamp === undefined}`;
  });
  return Promise.all(uids);
}

/** Empties the disk of a member and kills it: it can never come back as what it was. */
export async function loseDisk(rig: EtcdRepairRig, pod: string): Promise<void> {
  await rig.kubelet.kill(rig.podName(pod));
  await rig.kubelet.wipe(rig.namespace, `data-${pod}`);
  // It may have been started again in between.
  await rig.kubelet.kill(rig.podName(pod)).catch(() => {});
}

/** Runs the hook once more, beside the operator, with contexts of our own, and tells what it would have applied. */
export async function runByHand(rig: EtcdRepairRig, contexts: string): Promise<string> {
  const [pod] = await rig.hookPods();
  const name = rig.podName(pod?.metadata?.name ?? '');
  const hook = rig.twin === 'shell' ? '/hooks/etcd-repair.sh' : '/hooks/etcd-repair.ts';
  const { stdout, stderr, exitCode } = await rig.kubelet.exec(name, ['hooklet', 'run', hook, '--context', '-'], {
    stdin: contexts,
  });
  expect(exitCode, stderr).toBe(0);
  return `${stdout}${stderr}`;
}
