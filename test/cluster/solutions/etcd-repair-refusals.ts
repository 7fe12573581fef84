import type { V1Pod } from '@kubernetes/client-node';
import { expect } from 'vitest';
import { eventually } from './eventually.ts';
import { A_REPAIR, followerLosesDisk, isRepaired, type Line } from './etcd-repair-line.ts';
import { PAUSE_ANNOTATION, STATE_ANNOTATION } from './etcd-repair-rig.ts';
import {
  isMeasured,
  isTold,
  isWhole,
  membersOf,
  newsOf,
  outlastsPatience,
  runByHand,
  storageOf,
} from './etcd-repair-steps.ts';
import { asGroup } from './etcd-repair-views.ts';

/** Delays the hook before it removes a member. */
const NOT_REMOVED = 'echo "Error: etcdserver: unhealthy cluster" >&2; exit 1\n';

/** Tests in which people change things meanwhile, or nothing may be done. */
export const REFUSALS: readonly Line[] = [
  {
    title: 'goes on when a person has deleted the Pod meanwhile, so that another has the old disk',
    tells: A_REPAIR,
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
    },
  },
  {
    title: 'refuses when a member has a peer URL that is none of the StatefulSet',
    tells: ['MembershipMismatch'],
    run: async (rig) => {
      const news = await newsOf(rig);
      const before = await storageOf(rig);
      const member = (await membersOf(rig)).find(({ name }) => name === 'etcd-1');
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
    title: 'takes nobody out by a record whose member is long gone',
    tells: A_REPAIR,
    run: async (rig) => {
      const members = await membersOf(rig);
      const before = await storageOf(rig);
      const news = await newsOf(rig);
      const at = `${new Date().toISOString().slice(0, 19)}Z`;
      const gone = {
        memberID: '1',
        podUID: 'gone',
        claimUID: 'gone',
        snapshot: '',
        snapshotAt: at,
        snapshotRevision: 1,
        step: 'recorded',
      };
      const url = members.find(({ name }) => name === 'etcd-1')?.peerURLs[0];
      const repair = { pod: 'etcd-1', peerURL: url, ...gone, since: at, startedAt: at, stepAt: at };
      // A pending Event, as left by a run that was killed before the Event was written.
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
      expect(await membersOf(rig)).toEqual(members);
      expect(await storageOf(rig)).toEqual(before);
    },
  },
  {
    title: 'goes on when a person has added the member meanwhile',
    tells: A_REPAIR,
    run: async (rig) => {
      const news = await newsOf(rig);
      // A person adds the member a moment before the hook does, and directly as a voter.
      const add = `real-etcdctl --endpoints "$2" member add "$9" --peer-urls "$(printf '%s' "$*" | sed 's/.*--peer-urls //')"\n`;
      const release = await rig.control('before-member-add', add);

      await followerLosesDisk(rig);
      await isRepaired(rig, news);

      await release();
    },
  },
  {
    title: 'waits when a person has removed another member meanwhile, until it is back',
    tells: ['MembershipMismatch'],
    run: async (rig, oracle) => {
      const news = await newsOf(rig);
      oracle.allowVoters(1);
      const pod = await rig.etcd.follower();
      const member = (await membersOf(rig)).find(({ name }) => name === pod);

      await rig.etcd.changeMembers('remove', { ID: member?.ID });

      expect(await isTold(rig, news, 'MembershipMismatch')).toContain(`Not a member: ${pod}`);
      // As the Event asks, the person finishes the change.
      await rig.remove('persistentvolumeclaims', `data-${pod}`);
      await rig.remove('pods', pod);
      await rig.etcd.changeMembers('add', { peerURLs: member?.peerURLs });
      await isWhole(rig);
      oracle.allowVoters(2);
    },
  },
  {
    title: 'wipes nothing when no snapshot can be taken',
    tells: ['SnapshotFailed', ...A_REPAIR],
    run: async (rig) => {
      const news = await newsOf(rig);
      const before = await storageOf(rig);
      // The last of them would be enough, if they were not gone.
      const forget = 'rm -f /snapshots/*.db; echo "Error: no space left on device" >&2; exit 1\n';
      const release = await rig.control('before-snapshot-save', forget);
      const [hook] = await rig.hookPods();
      const inHook = async (script: string): Promise<string> =>
        (await rig.kubelet.exec(rig.podName(hook?.metadata?.name ?? ''), ['sh', '-c', script])).stdout;
      // A part of an unfinished snapshot, from yesterday.
      const part = `/snapshots/${rig.namespace}-etcd.part.x.1.part`;
      await inHook(`rm -f /snapshots/*.db; touch -d yesterday ${part}`);

      await followerLosesDisk(rig);

      expect(await isTold(rig, news, 'SnapshotFailed')).toContain('no space left on device');
      expect(await storageOf(rig)).toEqual(before);
      await eventually(async () => expect(await rig.etcd.members()).toHaveLength(3));
      await release();
      await isRepaired(rig, news);
      // The part is gone. A run that has not seen the record yet takes another snapshot, and cannot keep its record.
      expect(await inHook('ls /snapshots')).toMatch(/^(?:\S+-etcd-\d+\.db\n)+$/);
    },
  },
  {
    title: 'does nothing as long as it is paused',
    tells: ['Paused', ...A_REPAIR],
    run: async (rig) => {
      const news = await newsOf(rig);
      const before = await storageOf(rig);
      const pause = async (value: string | null): Promise<void> =>
        rig.patch('statefulsets', 'etcd', { metadata: { annotations: { [PAUSE_ANNOTATION]: value } } });
      await pause('true');
      await isTold(rig, news, 'Paused');

      await followerLosesDisk(rig);
      await isMeasured(rig, /members\{.*state="unhealthy".*\} 1/);
      await outlastsPatience(rig);

      expect(await storageOf(rig)).toEqual(before);
      expect((await rig.state()).repair).toBeUndefined();
      await pause(null);
      await isRepaired(rig, news);
    },
  },
  {
    title:
      'refuses what a new member would not cure, no memory, no image, no node, and gives it time when that is over',
    tells: ['Paused', ...A_REPAIR],
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
      await eventually(async () => {
        const unschedulable = '0/3 nodes are available: 3 Insufficient memory.';
        expect(await seen({ unschedulable })).toMatch(/reason\W+PodUnschedulable.*3 Insufficient memory/);
      });
      // If the disk is bound to a node that is gone, a new disk is the solution.
      await eventually(async () => {
        const unschedulable = '0/3 nodes are available: 1 node(s) had volume node affinity conflict.';
        expect(await seen({ unschedulable })).toMatch(/RepairStarted/);
      });
      // As the node controller marks the Pod of a node that does not report.
      const away = { node: 'node-7', ready: false, containersReady: true };
      await eventually(async () => {
        expect(await seen(away)).toMatch(/NodeLost.*kubectl taint node node-7 node\.kubernetes\.io\/out-of-service/);
      });
      // When the obstacle is gone, the member may be coming back.
      await eventually(async () => {
        const anew = await seen({}, 'PodCannotStart');
        expect(anew).toMatch(new RegExp(`"unhealthy\\W+${pod}\\W+(?!2020-01-01)`));
        expect(anew).not.toMatch(/RepairStarted/);
      });
      await eventually(async () => expect(await seen({})).toMatch(/RepairStarted/));
      // The obstacle is not gone only because it cannot be checked at the moment.
      const again = await rig.kubelet.cutOff(rig.podName(rig.etcd.pods.find((other) => other !== pod) ?? ''));
      await eventually(async () => {
        // Both in the previous state and in the one that is written.
        expect([...(await seen({}, 'QuorumLost')).matchAll(/told\W+QuorumLost/g)]).toHaveLength(2);
      });
      await again();
      await pause(null);
      await isRepaired(rig, news);
    },
  },
  {
    title: 'refuses while the StatefulSet is being rolled, and while a Pod could not start anyway',
    tells: ['StatefulSetUpdating'],
    run: async (rig) => {
      const news = await newsOf(rig);
      const before = await storageOf(rig);
      // A rollout that is stuck: its first Pod does not start.
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
      // The StatefulSet replaces a Pod of the broken revision by itself only if Pods are managed in parallel.
      await rig.kubectl('delete', 'pod', 'etcd-2', '--wait=false', '--ignore-not-found');
      await isWhole(rig);
    },
  },
];

const NOT_READY = {
  deleting: false,
  endsAt: '',
  node: 'node-1',
  ready: false,
  containersReady: false,
  outOfMemory: false,
  waitsFor: '',
  unschedulable: '',
  revision: 'r',
};

/** The contexts of the hook if `pod` had these fields and had been down for long. */
function viewOf(pod: string, fields: object, told = ''): string {
  const state = JSON.stringify({ unhealthy: { [pod]: '2020-01-01T00:00:00Z' }, told });
  const updates = { current: 'r', update: 'r', partition: 0, isSeen: true };
  const known = { uid: 'uid', resourceVersion: '1', state, repairs: '', annotated: true, paused: false };
  const set = { ...known, replicas: 3, updates };
  const snapshots = {
    statefulset: [{ filterResult: { ...set, service: 'etcd', claim: 'data' } }],
    pods: [{ filterResult: { name: pod, uid: 'uid', ...NOT_READY, ...fields } }],
    claims: [{ filterResult: { name: `data-${pod}`, uid: 'uid', deleting: false } }],
    marker: [{ filterResult: { state: 'existing' } }],
  };
  return asGroup(snapshots);
}
