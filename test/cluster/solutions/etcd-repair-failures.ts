import { expect } from 'vitest';
import { corruptSilently } from './etcd-corruption.ts';
import { A_REPAIR, followerLosesDisk, isRepaired, type Line } from './etcd-repair-line.ts';
import type { EtcdRepairRig } from './etcd-repair-rig.ts';
import {
  damageDatabase,
  damageLog,
  isMeasured,
  isTold,
  isWhole,
  loseDatabaseAndOldLog,
  loseDisk,
  loseLog,
  newsOf,
  storageOf,
  tearLog,
} from './etcd-repair-steps.ts';

/** Tests in which a member fails. */
export const FAILURES: readonly Line[] = [
  {
    title: 'replaces a member whose disk was emptied',
    tells: A_REPAIR,
    run: async (rig) => {
      const news = await newsOf(rig);
      const before = await storageOf(rig);

      const pod = await followerLosesDisk(rig);
      await isRepaired(rig, news);

      const after = await storageOf(rig);
      expect(after.filter((line) => !before.includes(line)).map((line) => line.split(' ')[0])).toEqual([pod]);
    },
  },
  {
    title: 'replaces the leader',
    tells: A_REPAIR,
    run: async (rig) => {
      const news = await newsOf(rig);

      await loseDisk(rig, await rig.etcd.leader());

      await isRepaired(rig, news);
    },
  },
  {
    title: 'replaces a member whose claim and Pod were deleted',
    tells: A_REPAIR,
    run: async (rig) => {
      const news = await newsOf(rig);
      const pod = await rig.etcd.follower();

      await rig.remove('persistentvolumeclaims', `data-${pod}`);
      await rig.remove('pods', pod);

      await isRepaired(rig, news);
    },
  },
  {
    title: 'replaces a member whose log is damaged',
    tells: A_REPAIR,
    run: isReplacedAfter(damageLog),
  },
  {
    title: 'replaces a member whose database is damaged',
    tells: A_REPAIR,
    run: isReplacedAfter(damageDatabase),
  },
  {
    title: 'replaces a member whose log is gone, though its database is there',
    tells: A_REPAIR,
    run: isReplacedAfter(loseLog),
  },
  {
    title: 'replaces a member whose log ends in the middle',
    tells: A_REPAIR,
    run: isReplacedAfter(tearLog),
  },
  {
    title: 'replaces a member whose database is gone, where its log does not go back to the beginning',
    tells: A_REPAIR,
    run: isReplacedAfter(loseDatabaseAndOldLog),
  },
  {
    title: 'replaces a member that lives, but is cut off',
    tells: A_REPAIR,
    run: async (rig) => {
      const news = await newsOf(rig);

      await rig.kubelet.cutOff(rig.podName(await rig.etcd.follower()));

      await isRepaired(rig, news);
    },
  },
  {
    title: 'disarms the alarm of the member it removed, and leaves one that came meanwhile',
    tells: ['CorruptAlarm', 'RepairStarted', 'NoSpace', 'Repaired'],
    run: async (rig) => {
      const news = await newsOf(rig);
      const pod = await rig.etcd.follower();
      const { memberId } = await rig.etcd.status(await rig.etcd.leader());
      const mark = `/tmp/${crypto.randomUUID()}`;
      // Between the check of the alarms and the step, once the old member is removed.
      const release = await rig.control('before-other', raiseNoSpaceOnce(mark, memberId));

      await corruptSilently(rig, pod);
      await rig.etcd.raiseAlarm(pod, 'CORRUPT');

      await isTold(rig, news, 'NoSpace');
      const { alarms } = await rig.etcd.anybody<{ readonly alarms?: readonly object[] }>('maintenance/alarm');
      expect(alarms).toEqual([{ memberID: memberId, alarm: 'NOSPACE' }]);
      await release();
      await rig.etcd.disarm();
      await isRepaired(rig, news);
    },
  },
  {
    title: 'refuses to replace anything as long as there is no space, and says what to do',
    tells: ['NoSpace'],
    run: async (rig) => {
      const news = await newsOf(rig);
      const before = await storageOf(rig);

      await rig.etcd.raiseAlarm(await rig.etcd.follower(), 'NOSPACE');

      expect(await isTold(rig, news, 'NoSpace')).toContain('etcdctl alarm disarm');
      await isMeasured(rig, /etcd_repair_refused\{.*reason="NoSpace".*\} 1/);
      await rig.etcd.disarm();
      await isWhole(rig);
      expect(await storageOf(rig)).toEqual(before);
    },
  },
];

function raiseNoSpaceOnce(mark: string, memberId: string): string {
  const alarm = JSON.stringify({ action: 'ACTIVATE', memberID: memberId, alarm: 'NOSPACE' });
  return `case "$*" in
    *hashkv*)
      if [ ! -e ${mark} ] && [ "$(real-etcdctl --endpoints "$2" member list | wc -l)" -eq 2 ]; then
        : > ${mark}
        curl --silent --fail --data '${alarm}' "\${2%%,*}/v3/maintenance/alarm" >&2
      fi ;;
  esac
`;
}

/** A test in which a follower fails so that it does not come back by itself. */
function isReplacedAfter(happen: (rig: EtcdRepairRig, pod: string) => Promise<void>): Line['run'] {
  return async (rig) => {
    const news = await newsOf(rig);

    await happen(rig, await rig.etcd.follower());

    await isRepaired(rig, news);
  };
}
