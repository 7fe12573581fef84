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

/** Returns the reasons of new Events about a repair or refusal; earlier Events are not counted. */
export async function newsOf(rig: EtcdRepairRig): Promise<() => Promise<readonly string[]>> {
  const before = new Set((await rig.events()).map(({ name }) => name));
  return async () => (await rig.events()).filter(({ name }) => !before.has(name)).map(({ reason }) => reason);
}

/** The members, as soon as one of them can list them. */
export async function membersOf({ etcd }: EtcdRepairRig): Promise<readonly ListedMember[]> {
  return eventually(async () => etcd.members());
}

/** Waits until a reason is reported, and returns the Event. */
export async function isTold(rig: EtcdRepairRig, news: () => Promise<readonly string[]>, reason: string) {
  await eventually(async () => expect(await news()).toContain(reason));
  const event = (await rig.events()).findLast((one) => one.reason === reason);
  return event?.message ?? '';
}

/** What must not change when the hook refuses: the Pod, claim and member of each. */
export async function storageOf(rig: EtcdRepairRig): Promise<readonly string[]> {
  const uids = rig.etcd.pods.map(async (pod) => {
    const found = await rig.get<V1Pod>('pods', pod);
    const claim = await rig.get<V1PersistentVolumeClaim>('persistentvolumeclaims', `data-${pod}`);
    return `${pod} ${found?.metadata?.uid} ${claim?.metadata?.uid} ${claim?.metadata?.deletionTimestamp === undefined}`;
  });
  return Promise.all(uids);
}

/**
 * Damages the disk of a member and kills the member. It is stopped before, so that it can neither repair nor use the
 * disk.
 */
export async function harmDisk(rig: EtcdRepairRig, pod: string, harm: (folder: string) => Promise<void>) {
  await rig.kubelet.kill(rig.podName(pod), { signal: 'SIGSTOP' });
  await harm(rig.kubelet.volumeOf(rig.namespace, `data-${pod}`));
  await rig.kubelet.kill(rig.podName(pod));
}

/** Empties the disk of a member and kills the member: it can never come back with its old identity. */
export async function loseDisk(rig: EtcdRepairRig, pod: string): Promise<void> {
  await harmDisk(rig, pod, async () => rig.kubelet.wipe(rig.namespace, `data-${pod}`));
}

/** Removes the log of a member, and leaves its database. */
export async function loseLog(rig: EtcdRepairRig, pod: string): Promise<void> {
  await harmDisk(rig, pod, async (folder) => rm(join(folder, 'data', 'member', 'wal'), { recursive: true }));
}

/** Removes the database of a member, and leaves its log, from which etcd can rebuild it. */
export async function loseDatabase(rig: EtcdRepairRig, pod: string): Promise<void> {
  await harmDisk(rig, pod, async (folder) => rm(join(folder, 'data', 'member', 'snap'), { recursive: true }));
}

/** The same where the log does not go back to the beginning, as in a cluster that has written much. */
export async function loseDatabaseAndOldLog(rig: EtcdRepairRig, pod: string): Promise<void> {
  await harmDisk(rig, pod, async (folder) => {
    const member = join(folder, 'data', 'member');
    await rm(join(member, 'snap'), { recursive: true });
    const [first = ''] = (await readdir(join(member, 'wal'))).filter((file) => file.endsWith('.wal')).toSorted();
    // The number of the log file, and its first index.
    await rename(
      join(member, 'wal', first),
      join(member, 'wal', `${'1'.padStart(16, '0')}-${'ff'.padStart(16, '0')}.wal`),
    );
  });
}

/** Truncates the newest log of a member, so that it ends in the middle of a record. */
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

/** Makes the disks of some members slow while something is done. */
export async function withSlowDisks(
  rig: EtcdRepairRig,
  { pods, delayMs }: { readonly pods: readonly string[]; readonly delayMs: number },
  act: () => Promise<void>,
): Promise<void> {
  await using releases = new AsyncDisposableStack();
  for (const pod of pods) releases.defer(await rig.kubelet.slowDisk(rig.podName(pod), delayMs));
  await act();
}

/** Waits until the hook reports that in a sample of its metrics. */
export async function isMeasured(rig: EtcdRepairRig, sample: RegExp): Promise<void> {
  await eventually(async () => expect(await rig.metrics()).toMatch(sample));
}

/** Waits until the hook has checked the cluster so many more times. */
export async function runsMore(rig: EtcdRepairRig, times: number): Promise<void> {
  const [pod] = await rig.hookPods();
  const name = rig.podName(pod?.metadata?.name ?? '');
  const runs = async (): Promise<number> => (await rig.kubelet.logs(name)).split('"msg":"hook finished"').length;
  const before = await runs();
  await eventually(async () => expect(await runs()).toBeGreaterThanOrEqual(before + times));
}

/** Waits until the hook has run repeatedly for longer than a member must be down to be replaced. */
export async function outlastsPatience(rig: EtcdRepairRig): Promise<void> {
  const since = Date.now();
  await eventually(async () => {
    await runsMore(rig, 1);
    expect(Date.now() - since).toBeGreaterThan(1000 * REPAIR_AFTER_SECONDS);
  });
  await runsMore(rig, 2);
}

/** Changes the record, so that the new member has tried to join for longer than it may. */
export async function joinsTooLong(rig: EtcdRepairRig): Promise<void> {
  await eventually(async () => {
    const { metadata } = await rig.statefulSet();
    const state: RepairState = JSON.parse(metadata?.annotations?.[STATE_ANNOTATION] ?? '{}');
    expect(state.repair).toBeDefined();
    const repair = { ...state.repair, stepAt: '2020-01-01T00:00:00Z' };
    // The patch is refused if the hook has written meanwhile.
    await rig.patch('statefulsets', 'etcd', {
      metadata: {
        resourceVersion: metadata?.resourceVersion,
        annotations: { [STATE_ANNOTATION]: JSON.stringify({ ...state, repair }) },
      },
    });
  });
}

/** Runs the hook once more, next to the operator, with the given contexts, and returns what it would have applied. */
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
