import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { V1Pod } from '@kubernetes/client-node';
import { expect } from 'vitest';
import { eventually } from './eventually.ts';
import type { EtcdOracle } from './etcd-oracle.ts';
import { PAUSE_ANNOTATION, STATE_ANNOTATION, type EtcdRepairRig } from './etcd-repair-rig.ts';
import { isTold, isWhole, loseDisk, newsOf, runByHand, storageOf } from './etcd-repair-steps.ts';

/** Something that happens to a cluster of three, and what must come of it. The cluster is whole before and after. */
export interface Line {
  readonly title: string;
  /** Run with both hooks also in the usual suite. */
  readonly isCore?: boolean;
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

/** Without what a slow machine may bring about besides. */
async function told(news: () => Promise<readonly string[]>): Promise<readonly string[]> {
  return (await news()).filter((reason) => !['JoinFailed', 'SnapshotFailed'].includes(reason));
}

/** Ends the whole process group of the hook, once. */
const KILL_HOOK_ONCE = (mark: string): string =>
  `[ -e /tmp/${mark} ] || { : > /tmp/${mark}; echo "the hook is killed at ${mark}" >&2; kill -9 0; }\n`;

export const LINES: readonly Line[] = [
  {
    title: 'replaces a member whose disk was emptied',
    isCore: true,
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
    run: async (rig) => {
      const news = await newsOf(rig);

      await loseDisk(rig, await rig.etcd.leader());

      await isRepaired(rig, news);
    },
  },
  {
    title: 'replaces a member whose claim and Pod were deleted',
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
    run: async (rig) => {
      const news = await newsOf(rig);
      const pod = await rig.etcd.follower();

      const wal = join(rig.kubelet.volumeOf(rig.namespace, `data-${pod}`), 'data', 'member', 'wal');
      for (const file of await readdir(wal)) {
        if (file.endsWith('.wal')) await writeFile(join(wal, file), Buffer.alloc(4096, 0x5a), { flag: 'r+' });
      }
      await rig.kubelet.kill(rig.podName(pod));

      await isRepaired(rig, news);
    },
  },
  {
    title: 'replaces a member whose database is damaged',
    run: async (rig) => {
      const news = await newsOf(rig);
      const pod = await rig.etcd.follower();
      const database = join(rig.kubelet.volumeOf(rig.namespace, `data-${pod}`), 'data', 'member', 'snap', 'db');

      await rig.kubelet.kill(rig.podName(pod));
      await writeFile(database, Buffer.alloc(64 * 1024, 0x5a), { flag: 'r+' });
      await rig.kubelet.kill(rig.podName(pod)).catch(() => {});

      await isRepaired(rig, news);
    },
  },
  {
    title: 'replaces a member that lives, but is cut off',
    run: async (rig) => {
      const news = await newsOf(rig);

      await rig.kubelet.cutOff(rig.podName(await rig.etcd.follower()));

      await isRepaired(rig, news);
    },
  },
  {
    title: 'replaces the member that the alarm CORRUPT is about, leader or not, and disarms it',
    isCore: true,
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
      expect(await rig.metrics()).toMatch(/etcd_repair_refused\{.*reason="NoSpace".*\} 1/);
      await rig.etcd.disarm();
      await isWhole(rig);
      expect(await storageOf(rig)).toEqual(before);
    },
  },
  {
    title: 'ends where it began when the hook is killed between every two steps',
    isCore: true,
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

      await followerLosesDisk(rig);
      // Those steps that are patches end in the operator, which is killed when they show.
      for (const step of ['recorded', 'removed', 'wiped', 'added', 'promoted']) {
        await eventually(async () => expect([step, undefined]).toContain((await rig.state()).repair?.step));
        const [pod] = await rig.hookPods();
        await rig.kubelet.kill(rig.podName(pod?.metadata?.name ?? '')).catch(() => {});
      }

      await isRepaired(rig, news);
      await Promise.all(release.map(async (done) => done()));
      expect(await told(news)).toEqual(['RepairStarted', 'Repaired']);
    },
  },
  {
    title: 'goes on when two of it run at once',
    run: async (rig) => {
      const news = await newsOf(rig);
      await rig.scaleHook(2);
      await eventually(async () => expect(await rig.hookPods()).toHaveLength(2));

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
      await release();

      await isRepaired(rig, news);
      // On a slow machine it may fail to join more than once.
      const once = (await news()).filter((reason, index, all) => reason !== 'JoinFailed' || all[index - 1] !== reason);
      expect(once).toEqual(['RepairStarted', 'JoinFailed', 'Repaired']);
    },
  },
  {
    title: 'promotes a slow learner when it has caught up',
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
    title: 'refuses when a member has a peer URL that is none of the StatefulSet',
    run: async (rig) => {
      const news = await newsOf(rig);
      const before = await storageOf(rig);
      const member = (await rig.etcd.members()).find(({ name }) => name === 'etcd-1');
      const update = async (peerURLs: readonly string[]): Promise<unknown> =>
        rig.etcd.anybody('cluster/member/update', { ID: member?.ID, peerURLs });

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
      const reconnect = [
        await rig.kubelet.cutOff(rig.podName('etcd-0')),
        await rig.kubelet.cutOff(rig.podName('etcd-2')),
      ];

      expect(await isTold(rig, news, 'QuorumLost')).toContain('--bump-revision 1000000000 --mark-compacted');
      expect(await rig.metrics()).toMatch(/etcd_repair_refused\{.*reason="QuorumLost".*\} 1/);
      expect(await storageOf(rig)).toEqual(before);
      for (const again of reconnect) await again();

      await isWhole(rig);
      expect((await news())[0]).toBe('QuorumLost');
    },
  },
  {
    title: 'takes nobody out by a record whose member is long gone',
    run: async (rig) => {
      const members = await rig.etcd.members();
      const before = await storageOf(rig);
      const news = await newsOf(rig);
      const at = '2026-01-01T00:00:00Z';
      const gone = { memberID: '1', podUID: 'gone', claimUID: 'gone', snapshot: '', snapshotAt: at, step: 'recorded' };
      const url = members.find(({ name }) => name === 'etcd-1')?.peerURLs[0];
      const repair = { pod: 'etcd-1', peerURL: url, ...gone, since: at, startedAt: at, stepAt: at };

      await rig.patch('statefulsets', 'etcd', {
        metadata: { annotations: { [STATE_ANNOTATION]: JSON.stringify({ repair }) } },
      });

      await isTold(rig, news, 'Repaired');
      await isWhole(rig);
      expect(await rig.etcd.members()).toEqual(members);
      expect(await storageOf(rig)).toEqual(before);
    },
  },
  {
    title: 'goes on when a person has added the member meanwhile',
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
    run: async (rig, oracle) => {
      const news = await newsOf(rig);
      oracle.allowVoters(1);
      const pod = await rig.etcd.follower();
      const member = (await rig.etcd.members()).find(({ name }) => name === pod);

      // For seconds after a member came back, etcd refuses it.
      await eventually(async () => void (await rig.etcd.anybody('cluster/member/remove', { ID: member?.ID })));

      expect(await isTold(rig, news, 'MembershipMismatch')).toContain(`Not a member: ${pod}`);
      // What the Event asks for: the person finishes what was begun.
      await rig.remove('persistentvolumeclaims', `data-${pod}`);
      await rig.remove('pods', pod);
      await eventually(async () => void (await rig.etcd.anybody('cluster/member/add', { peerURLs: member?.peerURLs })));
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
      await rig.kubelet.exec(rig.podName(hook?.metadata?.name ?? ''), ['sh', '-c', 'rm -f /snapshots/*.db']);

      await followerLosesDisk(rig);

      expect(await isTold(rig, news, 'SnapshotFailed')).toContain('no space left on device');
      expect(await storageOf(rig)).toEqual(before);
      expect(await rig.etcd.members()).toHaveLength(3);
      await release();
      await isRepaired(rig, news);
    },
  },
  {
    title: 'does nothing as long as it is paused',
    run: async (rig) => {
      const news = await newsOf(rig);
      const before = await storageOf(rig);
      const pause = async (value: string | null): Promise<void> =>
        rig.patch('statefulsets', 'etcd', { metadata: { annotations: { [PAUSE_ANNOTATION]: value } } });
      await pause('true');
      await isTold(rig, news, 'Paused');

      await followerLosesDisk(rig);
      await eventually(async () => expect(await rig.metrics()).toMatch(/members\{.*state="unhealthy".*\} 1/));

      expect(await storageOf(rig)).toEqual(before);
      await pause(null);
      await isRepaired(rig, news);
    },
  },
  {
    title: 'refuses what a new member would not cure: no memory, no image',
    run: async (rig) => {
      const news = await newsOf(rig);
      const pause = async (value: string | null): Promise<void> =>
        rig.patch('statefulsets', 'etcd', { metadata: { annotations: { [PAUSE_ANNOTATION]: value } } });
      await pause('true');
      await isTold(rig, news, 'Paused');
      const pod = await followerLosesDisk(rig);
      await eventually(async () => expect(await rig.metrics()).toMatch(/members\{.*state="unhealthy".*\} 1/));

      const seen = async (fields: object): Promise<string> => runByHand(rig, viewOf(pod, fields));

      expect(await seen({ outOfMemory: true })).toMatch(/reason: OutOfMemory/);
      expect(await seen({ waitsFor: 'ImagePullBackOff' })).toMatch(/reason: PodCannotStart/);
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
      expect(await news()).toEqual(['StatefulSetUpdating']);
    },
  },
];

/** What the hook would be given if `pod` was as `fields` say, and down for long. */
function viewOf(pod: string, fields: object): string {
  const state = JSON.stringify({ unhealthy: { [pod]: '2026-01-01T00:00:00Z' } });
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
