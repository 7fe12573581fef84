import { expect } from 'vitest';
import { eventually } from './eventually.ts';
import { A_REPAIR, followerLosesDisk, isRepaired, type Line } from './etcd-repair-line.ts';
import type { EtcdRepairRig } from './etcd-repair-rig.ts';
import {
  damageDatabase,
  isTold,
  isWhole,
  joinsTooLong,
  loseDisk,
  membersOf,
  newsOf,
  outlastsPatience,
  runByHand,
  storageOf,
  withSlowDisks,
} from './etcd-repair-steps.ts';
import { viewNow } from './etcd-repair-views.ts';

/** Kills the whole process group of the hook, once. */
const KILL_HOOK_ONCE = (mark: string): string =>
  `[ -e /tmp/${mark} ] || { : > /tmp/${mark}; echo "the hook is killed at ${mark}" >&2; kill -9 0; }\n`;

/** The steps in the record when a follower is replaced. */
const STEPS = ['recorded', 'removed', 'wiped', 'added', 'promoted'];

const NOT_NOW = 'echo "Error: etcdserver: unhealthy cluster" >&2; exit 1\n';
const NOT_IN_SYNC =
  'echo "Error: etcdserver: can only promote a learner member which is in sync with leader" >&2; exit 1\n';

/** Tests in which a repair is interrupted. */
export const INTERRUPTIONS: readonly Line[] = [
  {
    title: 'ends where it began when the hook is killed between every two steps',
    tells: A_REPAIR,
    run: async (rig) => {
      const run = crypto.randomUUID().slice(0, 8);
      const calls = ['snapshot-save', 'member-remove', 'member-add', 'member-promote'];
      const release = await Promise.all(
        calls.flatMap((call) =>
          ['before', 'after'].map(async (when) =>
            rig.control(`${when}-${call}`, KILL_HOOK_ONCE(`${run}-${when}-${call}`)),
          ),
        ),
      );

      const pod = await followerLosesDisk(rig);
      const before = await storageOf(rig);
      // Steps that are patches are done by the operator, which is killed when their result, or that of the next step,
      // shows.
      const isReached = async (step: string): Promise<boolean> => {
        const { repair } = await rig.state();
        const isReplaced = !(await storageOf(rig)).includes(before.find((line) => line.startsWith(pod)) ?? '');
        if (repair === undefined) expect(isReplaced).toBe(true);
        else expect(STEPS.indexOf(repair.step)).toBeGreaterThanOrEqual(STEPS.indexOf(step));
        return repair !== undefined;
      };
      for (const step of STEPS) {
        if (!(await eventually(async () => isReached(step)))) break;
        const [hook] = await rig.hookPods();
        await rig.kubelet.kill(rig.podName(hook?.metadata?.name ?? '')).catch(() => {});
      }

      await eventually(async () => expect((await rig.state()).repair).toBeUndefined());
      await isWhole(rig);
      await Promise.all(release.map(async (done) => done()));
    },
  },
  {
    title: 'goes on when two of it run at once',
    tells: A_REPAIR,
    run: async (rig) => {
      const news = await newsOf(rig);
      await rig.scaleHook(2);
      await eventually(async () => {
        const ready = (await rig.hookPods()).map(({ status }) =>
          status?.conditions?.find(({ type }) => type === 'Ready'),
        );
        expect(ready.map((condition) => condition?.status)).toEqual(['True', 'True']);
      });

      await followerLosesDisk(rig);
      await isRepaired(rig, news);

      await rig.scaleHook(1);
      await eventually(async () => expect(await rig.hookPods()).toHaveLength(1));
    },
  },
  {
    title: 'does no harm with a view of the cluster that is long out of date, twice',
    tells: A_REPAIR,
    run: async (rig) => {
      const news = await newsOf(rig);
      const views = await viewsOfRepair(rig);
      await isRepaired(rig, news);
      const [members, storage] = [await membersOf(rig), await storageOf(rig)];

      const asked: string[] = [];
      for (const view of [...views, ...views]) asked.push(await runByHand(rig, view));

      expect(await membersOf(rig)).toEqual(members);
      expect(await storageOf(rig)).toEqual(storage);
      // No old view may lead to a deletion: the new member needs its storage, and the views name at most that of the
      // old one.
      expect(views.length).toBeGreaterThan(0);
      expect(asked.filter((said) => said.includes('Delete'))).toEqual([]);
      await isWhole(rig);
    },
  },
  {
    title: 'goes on when the new member is killed while it learns',
    tells: A_REPAIR,
    run: async (rig) => {
      const news = await newsOf(rig);
      const { pod, release } = await learning(rig);

      await rig.kubelet.kill(rig.podName(pod));
      await release();

      await isRepaired(rig, news);
    },
  },
  {
    title: 'begins anew when the new member loses its disk while it learns',
    tells: ['RepairStarted', 'JoinFailed', 'Repaired'],
    run: beginsAnew(loseDisk),
  },
  {
    title: 'begins anew when the database of the new member is damaged while it learns',
    tells: ['RepairStarted', 'JoinFailed', 'Repaired'],
    run: beginsAnew(damageDatabase),
  },
  {
    title: 'asks again as long as etcd does not find the learner in sync',
    tells: A_REPAIR,
    run: async (rig) => {
      const news = await newsOf(rig);
      const mark = `/tmp/${crypto.randomUUID()}`;
      const release = await rig.control(
        'before-member-promote',
        `echo x >> ${mark}; if [ "$(wc -l < ${mark})" -lt 4 ]; then ${NOT_IN_SYNC.trim()}; fi\n`,
      );

      await followerLosesDisk(rig);
      await isRepaired(rig, news);

      await release();
    },
  },
  {
    title: 'replaces a member without a loss while all disks are slow',
    tells: A_REPAIR,
    run: async (rig, oracle) => {
      const news = await newsOf(rig);
      const { acknowledged } = oracle;
      const [one = ''] = rig.etcd.pods;

      await withSlowDisks(rig, { pods: rig.etcd.pods, delayMs: 100 }, async () => {
        const before = await rig.etcd.logWrites(one);
        await eventually(async () => expect((await rig.etcd.logWrites(one)).count).toBeGreaterThan(before.count + 5));
        const { count, milliseconds } = await rig.etcd.logWrites(one);
        // The first call may have begun before the disk was slow.
        expect((milliseconds - before.milliseconds) / (count - before.count - 1)).toBeGreaterThan(100);
        const pods = rig.etcd.pods.filter((pod) => pod !== one);
        await loseDisk(rig, pods.at(-1) ?? '');
        await isRepaired(rig, news);
      });

      expect(oracle.acknowledged).toBeGreaterThan(acknowledged);
    },
  },
  {
    title: 'takes a member whose disk is slow for no failed one, leader or not',
    tells: [],
    run: async (rig, oracle) => {
      const members = await membersOf(rig);
      const before = await storageOf(rig);

      for (const pod of [await rig.etcd.follower(), await rig.etcd.leader()]) {
        const { acknowledged } = oracle;
        await withSlowDisks(rig, { pods: [pod], delayMs: 400 }, async () => {
          await outlastsPatience(rig);
          await eventually(() => expect(oracle.acknowledged).toBeGreaterThan(acknowledged + 5));
        });
      }

      expect(await storageOf(rig)).toEqual(before);
      await isWhole(rig);
      expect(await membersOf(rig)).toEqual(members);
    },
  },
];

/**
 * Makes a follower lose its disk, and returns what the hook sees before each change of the members; the last run goes
 * on.
 */
async function viewsOfRepair(rig: EtcdRepairRig): Promise<readonly string[]> {
  const before = await storageOf(rig);
  const isAt = async (steps: readonly string[]) => expect(steps).toContain((await rig.state()).repair?.step);
  const held = [
    { call: 'member-remove', script: NOT_NOW, isHeld: async () => isAt(['recorded']) },
    {
      call: 'member-add',
      script: NOT_NOW,
      isHeld: async () => {
        expect(await storageOf(rig)).not.toEqual(before);
        // A run that has not yet seen the removal of the member wipes its storage, and then cannot record its own
        // step.
        await isAt(['removed', 'wiped']);
      },
    },
    { call: 'member-promote', script: NOT_IN_SYNC, isHeld: async () => isAt(['added']) },
  ];
  const release = await Promise.all(held.map(async ({ call, script }) => rig.control(`before-${call}`, script)));
  await followerLosesDisk(rig);
  const views: string[] = [];
  for (const [at, { isHeld }] of held.entries()) {
    await eventually(isHeld);
    views.push(await viewNow(rig));
    await release[at]?.();
  }
  return views;
}

/** Makes a follower lose its disk, and keeps its successor a learner until it is released. */
async function learning(rig: EtcdRepairRig) {
  const release = await rig.control('before-member-promote', NOT_IN_SYNC);
  const pod = await followerLosesDisk(rig);
  await eventually(async () => expect((await rig.etcd.status(pod)).isLearner).toBe(true));
  return { pod, release };
}

/** A test in which the new member fails so that it does not come up again. */
function beginsAnew(happen: (rig: EtcdRepairRig, pod: string) => Promise<void>): Line['run'] {
  return async (rig) => {
    const news = await newsOf(rig);
    const { pod, release } = await learning(rig);

    await happen(rig, pod);
    await joinsTooLong(rig);
    await isTold(rig, news, 'JoinFailed');
    // Not earlier, as etcd promotes a member that was there a moment ago.
    await release();

    await isRepaired(rig, news);
  };
}
