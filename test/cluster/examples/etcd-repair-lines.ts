import type { V1Pod } from '@kubernetes/client-node';
import { expect } from 'vitest';
import { eventually } from './eventually.ts';
import type { EtcdOracle } from './etcd-oracle.ts';
import type { Twin } from './etcd-repair-image.ts';
import { PAUSE_ANNOTATION, STATE_ANNOTATION, type EtcdRepairRig } from './etcd-repair-rig.ts';
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
  runByHand,
  runsMore,
  storageOf,
  tearLog,
  withSlowDisks,
} from './etcd-repair-steps.ts';

/** Something that happens to a cluster of three, and what must come of it. The cluster is whole before and after. */
export interface Line {
  readonly title: string;
  /** The hook it is run with in the usual suite; default shell. */
  readonly with?: Twin | 'both';
  readonly run: (rig: EtcdRepairRig, oracle: EtcdOracle) => Promise<void>;
}

/** Has a follower lose its disk, and returns its name. */
async function followerLosesDisk(rig: EtcdRepairRig): Promise<string> {
  const pod = await rig.etcd.follower();
  await loseDisk(rig, pod);
  return pod;
}

async function isRepaired(rig: EtcdRepairRig, news: () => Promise<readonly string[]>): Promise<void> {
  await isTold(rig, news, 'Repaired');
  await isWhole(rig);
}

/** What a slow machine may bring about besides: members that do not answer in time. */
const OF_SLOWNESS = ['JoinFailed', 'JoinIsSlow', 'SnapshotFailed', 'QuorumLost', 'SeveralMembersDown'];

/** Without that. */
async function told(news: () => Promise<readonly string[]>): Promise<readonly string[]> {
  return (await news()).filter((reason) => !OF_SLOWNESS.includes(reason));
}

/** Has the hook wait before it takes a member out. */
const NOT_REMOVED = 'echo "Error: etcdserver: unhealthy cluster" >&2; exit 1\n';

/** Ends the whole process group of the hook, once. */
const KILL_HOOK_ONCE = (mark: string): string =>
  `[ -e /tmp/${mark} ] || { : > /tmp/${mark}; echo "the hook is killed at ${mark}" >&2; kill -9 0; }\n`;

/** As the record has them when a follower is replaced. */
const STEPS = ['recorded', 'removed', 'wiped', 'added', 'promoted'];

export const LINES: readonly Line[] = [
  {
    title: 'replaces a member whose disk was emptied',
    with: 'both',
    run: async (rig) => {
      const news = await newsOf(rig);
      const before = await storageOf(rig);

      const pod = await followerLosesDisk(rig);
      await isRepaired(rig, news);

      const after = await storageOf(rig);
      expect(after.filter((line) => !before.includes(line)).map((line) => line.split(' ')[0])).toEqual([pod]);
      expect(await told(news)).toEqual(['RepairStarted', 'Repaired']);
    },
  },
  {
    title: 'replaces the leader',
    with: 'typescript',
    run: async (rig) => {
      const news = await newsOf(rig);

      await loseDisk(rig, await rig.etcd.leader());

      await isRepaired(rig, news);
    },
  },
  {
    title: 'replaces a member whose claim and Pod were deleted',
    with: 'typescript',
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
    run: async (rig) => {
      const news = await newsOf(rig);
      const pod = await rig.etcd.follower();

      await damageLog(rig, pod);

      await isRepaired(rig, news);
    },
  },
  {
    title: 'replaces a member whose database is damaged',
    run: async (rig) => {
      const news = await newsOf(rig);
      const pod = await rig.etcd.follower();

      await damageDatabase(rig, pod);

      await isRepaired(rig, news);
    },
  },
  {
    title: 'replaces a member whose log is gone, though its database is there',
    run: async (rig) => {
      const news = await newsOf(rig);
      const pod = await rig.etcd.follower();

      await loseLog(rig, pod);

      await isRepaired(rig, news);
    },
  },
  {
    title: 'replaces a member whose log ends in the middle',
    with: 'typescript',
    run: async (rig) => {
      const news = await newsOf(rig);
      const pod = await rig.etcd.follower();

      await tearLog(rig, pod);

      await isRepaired(rig, news);
    },
  },
  {
    title: 'replaces a member whose database is gone, where its log does not go back to the beginning',
    with: 'typescript',
    run: async (rig) => {
      const news = await newsOf(rig);
      const pod = await rig.etcd.follower();

      await loseDatabaseAndOldLog(rig, pod);

      await isRepaired(rig, news);
    },
  },
  {
    title: 'replaces a member that lives, but is cut off',
    with: 'typescript',
    run: async (rig) => {
      const news = await newsOf(rig);

      await rig.kubelet.cutOff(rig.podName(await rig.etcd.follower()));

      await isRepaired(rig, news);
    },
  },
  {
    title: 'replaces the member that the alarm CORRUPT is about, leader or not, and disarms it',
    with: 'both',
    run: async (rig, oracle) => {
      const news = await newsOf(rig);

      await rig.etcd.raiseAlarm(await rig.etcd.leader(), 'CORRUPT');

      await isRepaired(rig, news);
      const { alarms = [] } = await rig.etcd.anybody<{ readonly alarms?: readonly object[] }>('maintenance/alarm');
      expect(alarms).toEqual([]);
      const { acknowledged } = oracle;
      await eventually(() => expect(oracle.acknowledged).toBeGreaterThan(acknowledged));
    },
  },
  {
    title: 'refuses to replace anything as long as there is no space, and says what to do',
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
  {
    title: 'ends where it began when the hook is killed between every two steps',
    with: 'both',
    run: async (rig) => {
      const news = await newsOf(rig);
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
      // Those steps that are patches end in the operator, which is killed when they show, or what came after them.
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
      expect(await told(news)).toEqual(['RepairStarted', 'Repaired']);
    },
  },
  {
    title: 'goes on when two of it run at once',
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
      expect(await told(news)).toEqual(['RepairStarted', 'Repaired']);
    },
  },
  {
    title: 'does no harm with a view of the cluster that is long out of date, twice',
    run: async (rig) => {
      const news = await newsOf(rig);
      // Every view that the hook has while it repairs, kept by what it calls.
      const keep = 'mkdir -p /tmp/views; cp "$BINDING_CONTEXT_PATH" "/tmp/views/$(date +%s%N)" 2> /dev/null\n';
      const calls = ['snapshot-save', 'member-remove', 'member-add', 'member-promote'];
      const release = await Promise.all(calls.map(async (call) => rig.control(`before-${call}`, keep)));
      await followerLosesDisk(rig);
      await isRepaired(rig, news);
      await Promise.all(release.map(async (done) => done()));
      const [hook] = await rig.hookPods();
      const podName = rig.podName(hook?.metadata?.name ?? '');
      const script = 'for view in /tmp/views/*; do cat "$view"; echo; done; rm -r /tmp/views';
      const { stdout } = await rig.kubelet.exec(podName, ['sh', '-c', script]);
      const views = stdout.split('\n').filter((line) => line.trim() !== '');
      const [members, storage] = [await rig.etcd.members(), await storageOf(rig)];

      const asked: string[] = [];
      for (const view of [...views, ...views]) asked.push(await runByHand(rig, view));

      // A snapshot of the line before may be young enough; a warm hook has its view in memory.
      expect(views.length).toBeGreaterThanOrEqual(rig.twin === 'shell' ? 3 : 0);
      expect(await rig.etcd.members()).toEqual(members);
      // What it would delete is bound to what is gone.
      const uids = asked.join('\n').matchAll(/uid ([0-9a-f-]{36})/g);
      expect([...uids].filter(([, uid = '']) => storage.join(' ').includes(uid))).toEqual([]);
      await isWhole(rig);
    },
  },
  {
    title: 'goes on when the new member is killed while it learns',
    with: 'typescript',
    run: async (rig) => {
      const news = await newsOf(rig);
      const release = await rig.control('before-member-promote', NOT_IN_SYNC);
      const pod = await followerLosesDisk(rig);
      await eventually(async () => expect((await rig.etcd.status(pod)).isLearner).toBe(true));

      await rig.kubelet.kill(rig.podName(pod));
      await release();

      await isRepaired(rig, news);
    },
  },
  {
    title: 'begins anew when the new member loses its disk while it learns',
    run: async (rig) => {
      const news = await newsOf(rig);
      const release = await rig.control('before-member-promote', NOT_IN_SYNC);
      const pod = await followerLosesDisk(rig);
      await eventually(async () => expect((await rig.etcd.status(pod)).isLearner).toBe(true));

      await loseDisk(rig, pod);
      await isTold(rig, news, 'JoinFailed');
      // Not before, as etcd takes one that was there a moment ago.
      await release();

      await isRepaired(rig, news);
      expect(await told(news)).toEqual(['RepairStarted', 'Repaired']);
    },
  },
  {
    title: 'begins anew when the database of the new member is damaged while it learns',
    with: 'typescript',
    run: async (rig) => {
      const news = await newsOf(rig);
      const release = await rig.control('before-member-promote', NOT_IN_SYNC);
      const pod = await followerLosesDisk(rig);
      await eventually(async () => expect((await rig.etcd.status(pod)).isLearner).toBe(true));

      await damageDatabase(rig, pod);
      await isTold(rig, news, 'JoinFailed');
      await release();

      await isRepaired(rig, news);
      expect(await told(news)).toEqual(['RepairStarted', 'Repaired']);
    },
  },
  {
    title: 'asks again as long as etcd does not find the learner in sync',
    with: 'typescript',
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
      expect(await told(news)).toEqual(['RepairStarted', 'Repaired']);
    },
  },
  {
    title: 'replaces a member without a loss while all disks are slow',
    with: 'typescript',
    run: async (rig, oracle) => {
      const news = await newsOf(rig);
      const { acknowledged } = oracle;
      const [one = ''] = rig.etcd.pods;

      await withSlowDisks(rig, { pods: rig.etcd.pods, delayMs: 100 }, async () => {
        const before = await rig.etcd.logWrites(one);
        await eventually(async () => expect((await rig.etcd.logWrites(one)).count).toBeGreaterThan(before.count + 5));
        const { count, milliseconds } = await rig.etcd.logWrites(one);
        // The first may have begun before its disk was slow.
        expect((milliseconds - before.milliseconds) / (count - before.count - 1)).toBeGreaterThan(100);
        const pods = rig.etcd.pods.filter((pod) => pod !== one);
        await loseDisk(rig, pods.at(-1) ?? '');
        await isRepaired(rig, news);
      });

      expect(oracle.acknowledged).toBeGreaterThan(acknowledged);
      expect(await told(news)).toEqual(['RepairStarted', 'Repaired']);
    },
  },
  {
    title: 'takes a member whose disk is slow for no failed one, leader or not',
    with: 'typescript',
    run: async (rig, oracle) => {
      const members = await rig.etcd.members();
      const news = await newsOf(rig);
      const before = await storageOf(rig);

      for (const pod of [await rig.etcd.follower(), await rig.etcd.leader()]) {
        const { acknowledged } = oracle;
        await withSlowDisks(rig, { pods: [pod], delayMs: 400 }, async () => {
          // More than the time that a member must be down.
          await runsMore(rig, 3);
          await eventually(() => expect(oracle.acknowledged).toBeGreaterThan(acknowledged + 5));
        });
      }

      expect(await storageOf(rig)).toEqual(before);
      await isWhole(rig);
      expect(await rig.etcd.members()).toEqual(members);
      // On a slow machine it may seem to be one for a moment.
      const reasons = (await told(news)).filter((reason) => !['RepairStarted', 'Recovered'].includes(reason));
      expect(reasons).toEqual([]);
    },
  },
  {
    title: 'goes on when a person has deleted the Pod meanwhile, so that another has the old disk',
    with: 'both',
    run: async (rig) => {
      const news = await newsOf(rig);
      const release = await rig.control('before-member-remove', NOT_REMOVED);
      const pod = await followerLosesDisk(rig);
      await eventually(async () => expect((await rig.state()).repair?.step).toBe('recorded'));
      const uid = async (): Promise<string | undefined> => (await rig.get<V1Pod>('pods', pod))?.metadata?.uid;
      const old = await uid();

      await rig.remove('pods', pod);
      await eventually(async () => expect([undefined, old]).not.toContain(await uid()));
      await release();

      await isRepaired(rig, news);
      expect(await told(news)).toEqual(['RepairStarted', 'Repaired']);
    },
  },
  {
    title: 'refuses when a member has a peer URL that is none of the StatefulSet',
    with: 'typescript',
    run: async (rig) => {
      const news = await newsOf(rig);
      const before = await storageOf(rig);
      const member = (await rig.etcd.members()).find(({ name }) => name === 'etcd-1');
      const update = async (peerURLs: readonly string[]): Promise<void> =>
        rig.etcd.changeMembers('update', { ID: member?.ID, peerURLs });

      await update(['http://elsewhere.example:2380']);

      expect(await isTold(rig, news, 'MembershipMismatch')).toContain('Not a member: etcd-1');
      await update(member?.peerURLs ?? []);
      await isWhole(rig);
      expect(await storageOf(rig)).toEqual(before);
    },
  },
  {
    title: 'refuses when two of three are down, and takes nothing',
    run: async (rig) => {
      const news = await newsOf(rig);
      const before = await storageOf(rig);
      const reconnect = await Promise.all(
        ['etcd-0', 'etcd-2'].map(async (pod) => rig.kubelet.cutOff(rig.podName(pod))),
      );

      expect(await isTold(rig, news, 'QuorumLost')).toContain('--bump-revision 1000000000 --mark-compacted');
      await isMeasured(rig, /etcd_repair_refused\{.*reason="QuorumLost".*\} 1/);
      expect(await storageOf(rig)).toEqual(before);
      await Promise.all(reconnect.map(async (again) => again()));

      await isWhole(rig);
      expect((await news())[0]).toBe('QuorumLost');
    },
  },
  {
    title: 'takes nobody out by a record whose member is long gone',
    with: 'typescript',
    run: async (rig) => {
      const members = await rig.etcd.members();
      const before = await storageOf(rig);
      const news = await newsOf(rig);
      const at = `${new Date().toISOString().slice(0, 19)}Z`;
      const gone = { memberID: '1', podUID: 'gone', claimUID: 'gone', snapshot: '', snapshotAt: at, step: 'recorded' };
      const url = members.find(({ name }) => name === 'etcd-1')?.peerURLs[0];
      const repair = { pod: 'etcd-1', peerURL: url, ...gone, since: at, startedAt: at, stepAt: at };
      // Of a runner that was killed before it could tell.
      const started = {
        name: `etcd.${crypto.randomUUID()}`,
        type: 'Warning',
        reason: 'RepairStarted',
        message: '',
        at,
      };

      await rig.patch('statefulsets', 'etcd', {
        metadata: { annotations: { [STATE_ANNOTATION]: JSON.stringify({ repair, news: [started] }) } },
      });

      await isRepaired(rig, news);
      expect(await told(news)).toEqual(['RepairStarted', 'Repaired']);
      expect(await rig.etcd.members()).toEqual(members);
      expect(await storageOf(rig)).toEqual(before);
    },
  },
  {
    title: 'goes on when a person has added the member meanwhile',
    with: 'typescript',
    run: async (rig) => {
      const news = await newsOf(rig);
      // As a person would, a moment before the hook does: a voter at once.
      const add = `real-etcdctl --endpoints "$2" member add "$9" --peer-urls "$(printf '%s' "$*" | sed 's/.*--peer-urls //')"\n`;
      const release = await rig.control('before-member-add', add);

      await followerLosesDisk(rig);
      await isRepaired(rig, news);

      await release();
    },
  },
  {
    title: 'waits when a person has removed another member meanwhile, until it is back',
    with: 'typescript',
    run: async (rig, oracle) => {
      const news = await newsOf(rig);
      oracle.allowVoters(1);
      const pod = await rig.etcd.follower();
      const member = (await rig.etcd.members()).find(({ name }) => name === pod);

      await rig.etcd.changeMembers('remove', { ID: member?.ID });

      expect(await isTold(rig, news, 'MembershipMismatch')).toContain(`Not a member: ${pod}`);
      // What the Event asks for: the person finishes what was begun.
      await rig.remove('persistentvolumeclaims', `data-${pod}`);
      await rig.remove('pods', pod);
      await rig.etcd.changeMembers('add', { peerURLs: member?.peerURLs });
      await isWhole(rig);
      oracle.allowVoters(2);
    },
  },
  {
    title: 'wipes nothing when no snapshot can be taken',
    run: async (rig) => {
      const news = await newsOf(rig);
      const before = await storageOf(rig);
      // The last ones would do, were they not gone.
      const forget = 'rm -f /snapshots/*.db; echo "Error: no space left on device" >&2; exit 1\n';
      const release = await rig.control('before-snapshot-save', forget);
      const [hook] = await rig.hookPods();
      const inHook = async (script: string): Promise<string> =>
        (await rig.kubelet.exec(rig.podName(hook?.metadata?.name ?? ''), ['sh', '-c', script])).stdout;
      // A part of one that was never finished, from yesterday.
      const part = `/snapshots/${rig.namespace}-etcd.part.x.1.part`;
      await inHook(`rm -f /snapshots/*.db; touch -d yesterday ${part}`);

      await followerLosesDisk(rig);

      expect(await isTold(rig, news, 'SnapshotFailed')).toContain('no space left on device');
      expect(await storageOf(rig)).toEqual(before);
      await eventually(async () => expect(await rig.etcd.members()).toHaveLength(3));
      await release();
      await isRepaired(rig, news);
      expect(await inHook('ls /snapshots')).toMatch(/^\S+-etcd-\d+\.db\n$/);
    },
  },
  {
    title: 'does nothing as long as it is paused',
    with: 'typescript',
    run: async (rig) => {
      const news = await newsOf(rig);
      const before = await storageOf(rig);
      const pause = async (value: string | null): Promise<void> =>
        rig.patch('statefulsets', 'etcd', { metadata: { annotations: { [PAUSE_ANNOTATION]: value } } });
      await pause('true');
      await isTold(rig, news, 'Paused');

      await followerLosesDisk(rig);
      await isMeasured(rig, /members\{.*state="unhealthy".*\} 1/);
      // More than the time that a member must be down.
      await runsMore(rig, 3);

      expect(await storageOf(rig)).toEqual(before);
      expect((await rig.state()).repair).toBeUndefined();
      await pause(null);
      await isRepaired(rig, news);
    },
  },
  {
    title: 'refuses what a new member would not cure, no memory, no image, and gives it time when that is over',
    with: 'typescript',
    run: async (rig) => {
      const news = await newsOf(rig);
      const pause = async (value: string | null): Promise<void> =>
        rig.patch('statefulsets', 'etcd', { metadata: { annotations: { [PAUSE_ANNOTATION]: value } } });
      await pause('true');
      await isTold(rig, news, 'Paused');
      const pod = await followerLosesDisk(rig);
      await isMeasured(rig, /members\{.*state="unhealthy".*\} 1/);

      const seen = async (fields: object, told?: string): Promise<string> => runByHand(rig, viewOf(pod, fields, told));

      await eventually(async () => expect(await seen({ outOfMemory: true })).toMatch(/reason\W+OutOfMemory/));
      await eventually(async () => {
        expect(await seen({ waitsFor: 'ImagePullBackOff' })).toMatch(/reason\W+PodCannotStart/);
      });
      // When that is over, the member may be on its way.
      await eventually(async () => {
        const anew = await seen({}, 'PodCannotStart');
        expect(anew).toMatch(new RegExp(`"unhealthy\\W+${pod}\\W+(?!2026-01-01)`));
        expect(anew).not.toMatch(/RepairStarted/);
      });
      await eventually(async () => expect(await seen({})).toMatch(/RepairStarted/));
      // Nor is it over when that cannot be told at the moment.
      const again = await rig.kubelet.cutOff(rig.podName(rig.etcd.pods.find((other) => other !== pod) ?? ''));
      await eventually(async () => {
        // In the state that was, and in the one that is written.
        expect([...(await seen({}, 'QuorumLost')).matchAll(/told\W+QuorumLost/g)]).toHaveLength(2);
      });
      await again();
      await pause(null);
      await isRepaired(rig, news);
    },
  },
  {
    title: 'refuses while the StatefulSet is being rolled, and while a Pod could not start anyway',
    run: async (rig) => {
      const news = await newsOf(rig);
      const before = await storageOf(rig);
      // A rollout that gets nowhere: its first Pod does not start.
      const missing = 'registry.example.com/missing:1';
      await rig.kubectl('set', 'image', 'statefulset/etcd', `etcd=${missing}`);

      expect(await isTold(rig, news, 'StatefulSetUpdating')).toContain('kubectl rollout undo');
      expect((await storageOf(rig)).map((line) => line.split(' ')[2])).toEqual(
        before.map((line) => line.split(' ')[2]),
      );
      await eventually(async () => {
        expect((await rig.get<V1Pod>('pods', 'etcd-2'))?.spec?.containers[0]?.image).toBe(missing);
      });
      await rig.kubectl('rollout', 'undo', 'statefulset/etcd');
      // A Pod of the broken revision is replaced by itself only where Pods start in parallel.
      await rig.kubectl('delete', 'pod', 'etcd-2', '--wait=false', '--ignore-not-found');
      await isWhole(rig);
      // Until the Pod is gone it cannot start; on a slow machine it takes longer than a member may be down.
      expect((await news())[0]).toBe('StatefulSetUpdating');
      expect(await told(news)).not.toContain('MembershipMismatch');
    },
  },
];

/** What the hook would be given if `pod` was as `fields` say, and down for long. */
function viewOf(pod: string, fields: object, told = ''): string {
  const state = JSON.stringify({ unhealthy: { [pod]: '2026-01-01T00:00:00Z' }, told });
  const set = { uid: 'uid', resourceVersion: '1', state, annotated: true, paused: false, replicas: 3, rolling: false };
  const snapshots = {
    statefulset: [{ filterResult: { ...set, service: 'etcd', claim: 'data' } }],
    pods: [{ filterResult: { name: pod, uid: 'uid', deleting: false, outOfMemory: false, waitsFor: '', ...fields } }],
    claims: [{ filterResult: { name: `data-${pod}`, uid: 'uid', deleting: false } }],
    marker: [{ filterResult: { state: 'existing' } }],
  };
  return JSON.stringify([{ binding: 'pods', type: 'Group', groupName: 'etcd-repair', snapshots }]);
}

const NOT_IN_SYNC =
  'echo "Error: etcdserver: can only promote a learner member which is in sync with leader" >&2; exit 1\n';
