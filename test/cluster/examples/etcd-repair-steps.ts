import { readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { V1PersistentVolumeClaim, V1Pod } from '@kubernetes/client-node';
import { expect } from 'vitest';
import { eventually } from './eventually.ts';
import type { ListedMember } from './etcd-api.ts';
import {
  markerOf,
  REPAIR_AFTER_SECONDS,
  STATE_ANNOTATION,
  type EtcdRepairRig,
  type RepairState,
} from './etcd-repair-rig.ts';

/** Waits until all members are voters that answer, hold the same, and nothing is left to be done. */
export async function isWhole(rig: EtcdRepairRig, timeoutMs?: number): Promise<void> {
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
  const before = new Set((await rig.events()).map(({ name }) => name));
  return async () => (await rig.events()).filter(({ name }) => !before.has(name)).map(({ reason }) => reason);
}

/** The members, as soon as one of them can tell. */
export async function membersOf({ etcd }: EtcdRepairRig): Promise<readonly ListedMember[]> {
  return eventually(async () => etcd.members());
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

/** Harms the disk of a member and kills it. It stands still meanwhile, so that it can neither mend nor use the disk. */
export async function harmDisk(rig: EtcdRepairRig, pod: string, harm: (folder: string) => Promise<void>) {
  await rig.kubelet.kill(rig.podName(pod), { signal: 'SIGSTOP' });
  await harm(rig.kubelet.volumeOf(rig.namespace, `data-${pod}`));
  await rig.kubelet.kill(rig.podName(pod));
}

/** Empties the disk of a member and kills it: it can never come back as what it was. */
export async function loseDisk(rig: EtcdRepairRig, pod: string): Promise<void> {
  await harmDisk(rig, pod, async () => rig.kubelet.wipe(rig.namespace, `data-${pod}`));
}

/** Takes the log of a member away, and leaves its database. */
export async function loseLog(rig: EtcdRepairRig, pod: string): Promise<void> {
  await harmDisk(rig, pod, async (folder) => rm(join(folder, 'data', 'member', 'wal'), { recursive: true }));
}

/** Takes the database of a member away, and leaves its log, from which etcd can make it anew. */
export async function loseDatabase(rig: EtcdRepairRig, pod: string): Promise<void> {
  await harmDisk(rig, pod, async (folder) => rm(join(folder, 'data', 'member', 'snap'), { recursive: true }));
}

/** The same where the log no longer goes back to the beginning, as in a cluster that has written much. */
export async function loseDatabaseAndOldLog(rig: EtcdRepairRig, pod: string): Promise<void> {
  await harmDisk(rig, pod, async (folder) => {
    const member = join(folder, 'data', 'member');
    await rm(join(member, 'snap'), { recursive: true });
    const [first = ''] = (await readdir(join(member, 'wal'))).filter((file) => file.endsWith('.wal')).toSorted();
    // Its number, and the index in it that is the first.
    await rename(
      join(member, 'wal', first),
      join(member, 'wal', `${'1'.padStart(16, '0')}-${'ff'.padStart(16, '0')}.wal`),
    );
  });
}

/** Cuts the newest log of a member off, so that it ends in the middle of what was written. */
export async function tearLog(rig: EtcdRepairRig, pod: string): Promise<void> {
  await harmDisk(rig, pod, async (folder) => {
    const wal = join(folder, 'data', 'member', 'wal');
    const newest =
      (await readdir(wal))
        .filter((file) => file.endsWith('.wal'))
        .toSorted()
        .at(-1) ?? '';
    const written = (await readFile(join(wal, newest))).findLastIndex((byte) => byte !== 0);
    await truncate(join(wal, newest), Math.floor(written / 2));
  });
}

/** Overwrites the heads of the logs of a member. */
export async function damageLog(rig: EtcdRepairRig, pod: string): Promise<void> {
  await harmDisk(rig, pod, async (folder) => {
    const wal = join(folder, 'data', 'member', 'wal');
    for (const file of await readdir(wal)) {
      if (file.endsWith('.wal')) await writeFile(join(wal, file), Buffer.alloc(4096, 0x5a), { flag: 'r+' });
    }
  });
}

/** Overwrites the first pages of a member's database. */
export async function damageDatabase(rig: EtcdRepairRig, pod: string): Promise<void> {
  await harmDisk(rig, pod, async (folder) => {
    const database = join(folder, 'data', 'member', 'snap', 'db');
    await writeFile(database, Buffer.alloc(64 * 1024, 0x5a), { flag: 'r+' });
  });
}

/** Has the disks of some members be slow while something is done. */
export async function withSlowDisks(
  rig: EtcdRepairRig,
  { pods, delayMs }: { readonly pods: readonly string[]; readonly delayMs: number },
  act: () => Promise<void>,
): Promise<void> {
  await using releases = new AsyncDisposableStack();
  for (const pod of pods) releases.defer(await rig.kubelet.slowDisk(rig.podName(pod), delayMs));
  await act();
}

/** Waits until the hook says that about itself in a sample. */
export async function isMeasured(rig: EtcdRepairRig, sample: RegExp): Promise<void> {
  await eventually(async () => expect(await rig.metrics()).toMatch(sample));
}

/** Waits until the hook has looked at the cluster so many times more. */
export async function runsMore(rig: EtcdRepairRig, times: number): Promise<void> {
  const [pod] = await rig.hookPods();
  const name = rig.podName(pod?.metadata?.name ?? '');
  const runs = async (): Promise<number> => (await rig.kubelet.logs(name)).split('"msg":"hook finished"').length;
  const before = await runs();
  await eventually(async () => expect(await runs()).toBeGreaterThanOrEqual(before + times));
}

/** Waits until the hook has looked again and again for longer than a member must be down to be replaced. */
export async function outlastsPatience(rig: EtcdRepairRig): Promise<void> {
  const since = Date.now();
  await eventually(async () => {
    await runsMore(rig, 1);
    expect(Date.now() - since).toBeGreaterThan(1000 * REPAIR_AFTER_SECONDS);
  });
  await runsMore(rig, 2);
}

/** Has the record say that the new member has tried to join for longer than it may. */
export async function joinsTooLong(rig: EtcdRepairRig): Promise<void> {
  await eventually(async () => {
    const { metadata } = await rig.statefulSet();
    const state: RepairState = JSON.parse(metadata?.annotations?.[STATE_ANNOTATION] ?? '{}');
    expect(state.repair).toBeDefined();
    const repair = { ...state.repair, stepAt: '2020-01-01T00:00:00Z' };
    // Where the hook has written meanwhile this is refused.
    await rig.patch('statefulsets', 'etcd', {
      metadata: {
        resourceVersion: metadata?.resourceVersion,
        annotations: { [STATE_ANNOTATION]: JSON.stringify({ ...state, repair }) },
      },
    });
  });
}

/** Runs the hook once more, beside the operator, with contexts of our own, and tells what it would have applied. */
export async function runByHand(rig: EtcdRepairRig, contexts: string): Promise<string> {
  const [pod] = await rig.hookPods();
  const name = rig.podName(pod?.metadata?.name ?? '');
  const { stdout, stderr, exitCode } = await rig.kubelet.exec(
    name,
    ['hooklet', 'run', '/hooks/etcd-repair.ts', '--context', '-'],
    {
      stdin: contexts,
    },
  );
  expect(exitCode, `${stdout}${stderr}`).toBe(0);
  return `${stdout}${stderr}`;
}
