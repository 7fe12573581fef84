import { expect } from 'vitest';
import { isRepaired, type Line } from './etcd-repair-line.ts';
import type { EtcdRepairRig } from './etcd-repair-rig.ts';
import {
  isMeasured,
  isTold,
  isWhole,
  loseDisk,
  membersOf,
  newsOf,
  outlastsPatience,
  storageOf,
} from './etcd-repair-steps.ts';
import { eventually } from './eventually.ts';

const TAINT = /kubectl taint node \S+ node\.kubernetes\.io\/out-of-service=nodeshutdown:NoExecute/;

/** Tests in which the hook does not reach a member, or a Pod does not end: the member does not count as lost then. */
export const WITNESSES: readonly Line[] = [
  {
    title: 'replaces no member that only the hook does not reach, follower or leader, and says who sees it',
    tells: ['SeenByOthers', 'SeenByOthers'],
    run: async (rig) => {
      const before = await storageOf(rig);
      const members = await membersOf(rig);

      const follower = await unreached(rig, await rig.etcd.follower());
      expect(follower).toMatch(/its Pod is Ready, and the leader etcd-\d sees it: it has \d+ of \d+ of the log/);
      const leader = await unreached(rig, await rig.etcd.leader());
      expect(leader).toMatch(/its Pod is Ready, and etcd-\d and etcd-\d follow it as their leader/);

      expect(await storageOf(rig)).toEqual(before);
      expect(await membersOf(rig)).toEqual(members);
    },
  },
  {
    title: 'keeps a member whose Pod is deleted and does not go, and says what to do; it comes back with its data',
    tells: ['NodeLost'],
    run: async (rig) => {
      const news = await newsOf(rig);
      const members = await membersOf(rig);
      const pod = await rig.etcd.follower();
      const letGo = await holdPod(rig, pod);

      await rig.remove('pods', pod);

      expect(await isTold(rig, news, 'NodeLost')).toMatch(TAINT);
      await isMeasured(rig, /etcd_repair_refused\{.*reason="NodeLost".*\} 1/);
      expect(await membersOf(rig)).toEqual(members);
      await letGo();
      await isWhole(rig);
      expect(await membersOf(rig)).toEqual(members);
    },
  },
  {
    title: 'says so when the Pod of a member that was removed does not go, and goes on when it has',
    tells: ['RepairStarted', 'NodeLost', 'Repaired'],
    run: async (rig) => {
      const news = await newsOf(rig);
      const pod = await rig.etcd.follower();
      const letGo = await holdPod(rig, pod);

      await loseDisk(rig, pod);

      expect(await isTold(rig, news, 'NodeLost')).toMatch(TAINT);
      await letGo();

      await isRepaired(rig, news);
    },
  },
];

/** Hides a member from the hook for long, and returns what the hook reports. */
async function unreached(rig: EtcdRepairRig, pod: string): Promise<string> {
  const news = await newsOf(rig);
  const release = await rig.control(
    'before-endpoint-status',
    `case "$*" in *"//${pod}."*) echo "Failed to get the status (context deadline exceeded)" >&2; exit 1 ;; esac\n`,
  );
  const said = await isTold(rig, news, 'SeenByOthers');
  await outlastsPatience(rig);
  await release();
  await isWhole(rig);
  return said;
}

/** The end of the Pod is not confirmed until the returned function is called, as on a node that does not report. */
async function holdPod(rig: EtcdRepairRig, pod: string): Promise<() => Promise<void>> {
  const hold = async (finalizers: readonly string[] | null): Promise<void> =>
    rig.patch('pods', pod, { metadata: { finalizers } });
  await hold(['example.com/node-is-silent']);
  return async () => eventually(async () => hold(null));
}
