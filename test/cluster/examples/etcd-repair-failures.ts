import { expect } from 'vitest';
import { eventually } from './eventually.ts';
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

/** A member fails. */
export const FAILURES: readonly Line[] = [
  {
    title: 'replaces a member whose disk was emptied',
    with: 'both',
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
    with: 'typescript',
    tells: A_REPAIR,
    run: async (rig) => {
      const news = await newsOf(rig);

      await loseDisk(rig, await rig.etcd.leader());

      await isRepaired(rig, news);
    },
  },
  {
    title: 'replaces a member whose claim and Pod were deleted',
    with: 'typescript',
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
    with: 'typescript',
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
    with: 'typescript',
    tells: A_REPAIR,
    run: isReplacedAfter(tearLog),
  },
  {
    title: 'replaces a member whose database is gone, where its log does not go back to the beginning',
    with: 'typescript',
    tells: A_REPAIR,
    run: isReplacedAfter(loseDatabaseAndOldLog),
  },
  {
    title: 'replaces a member that lives, but is cut off',
    with: 'typescript',
    tells: A_REPAIR,
    run: async (rig) => {
      const news = await newsOf(rig);

      await rig.kubelet.cutOff(rig.podName(await rig.etcd.follower()));

      await isRepaired(rig, news);
    },
  },
  {
    title: 'replaces the member that the alarm CORRUPT is about, leader or not, and disarms it',
    with: 'both',
    tells: A_REPAIR,
    run: async (rig, oracle) => {
      const news = await newsOf(rig);

      await rig.etcd.raiseAlarm(await rig.etcd.leader(), 'CORRUPT');

      await isRepaired(rig, news);
      await eventually(async () => {
        const { alarms = [] } = await rig.etcd.anybody<{ readonly alarms?: readonly object[] }>('maintenance/alarm');
        expect(alarms).toEqual([]);
      });
      const { acknowledged } = oracle;
      await eventually(() => expect(oracle.acknowledged).toBeGreaterThan(acknowledged));
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

/** Something happens to a follower, so that it does not come back by itself. */
function isReplacedAfter(happen: (rig: EtcdRepairRig, pod: string) => Promise<void>): Line['run'] {
  return async (rig) => {
    const news = await newsOf(rig);

    await happen(rig, await rig.etcd.follower());

    await isRepaired(rig, news);
  };
}
