import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { sharedControlPlane } from '../shared-control-plane.ts';
import { EtcdOracle } from './etcd-oracle.ts';
import { A_REPAIR, followerLosesDisk, isRepaired } from './etcd-repair-line.ts';
import { startEtcdRepair, type EtcdRepairRig } from './etcd-repair-rig.ts';
import {
  isBootstrapped,
  isMeasured,
  isTold,
  isWhole,
  loseDisk,
  newsOf,
  outlastsPatience,
  storageOf,
} from './etcd-repair-steps.ts';
import { eventually } from './eventually.ts';

const plane = sharedControlPlane();
const LIMIT = { timeout: 1_200_000 };
const REPAIRS_ANNOTATION = 'etcd-repair.hooklet.dev/repairs';

it.concurrent('a member is replaced where etcd asks for passwords, which a learner cannot check', LIMIT, async () => {
  const user = 'root:a-password';
  const USER = { ETCDCTL_USER: user };
  await using rig = await startEtcdRepair({ plane, settings: { ...USER, ETCD_TIMEOUT_SECONDS: '5' } });
  await isBootstrapped(rig);
  await isWhole(rig);
  const news = await newsOf(rig);
  const pod = await rig.etcd.follower();
  const before = await rig.etcd.members();
  await enableAuthentication(rig, user);

  await loseDisk(rig, pod);

  await isTold(rig, news, 'Repaired');
  expect(await news()).toEqual(A_REPAIR);
  const after = await rig.etcd.members();
  expect(after.filter(({ isLearner }) => isLearner)).toEqual([]);
  const isNew = after.filter(({ ID }) => !before.some((one) => one.ID === ID)).map(({ name }) => name);
  expect(isNew).toEqual([pod]);
  const hashes = await Promise.all(
    rig.etcd.pods.map(async (one) => ctl(rig, one, '--user', user, 'endpoint', 'hashkv')),
  );
  expect(hashes.map((line) => line.split(', ')[1])).toEqual(hashes.map(() => hashes[0]?.split(', ')[1]));
});

it.concurrent('after 1 repair in a day no other is begun, also by a hook that was restarted', LIMIT, async () => {
  await using rig = await startEtcdRepair({ plane, settings: { REPAIR_MAX_PER_DAY: '1' } });
  await isBootstrapped(rig);
  const news = await newsOf(rig);
  const oracle = new EtcdOracle(rig.etcd);
  oracle.start();
  await followerLosesDisk(rig);
  await isRepaired(rig, news);
  await rig.scaleHook(0);
  await eventually(async () => expect(await rig.hookPods()).toEqual([]));
  await rig.scaleHook(1);
  const before = await storageOf(rig);

  await followerLosesDisk(rig);

  await isMeasured(rig, /etcd_repair_begun_last_day\{.*\} 1/);
  expect(await isTold(rig, news, 'RepairLimit')).toContain(`annotate statefulset etcd ${REPAIRS_ANNOTATION}-`);
  await outlastsPatience(rig);
  expect(await storageOf(rig)).toEqual(before);
  const later = await newsOf(rig);
  await rig.kubectl('annotate', 'statefulset', 'etcd', `${REPAIRS_ANNOTATION}-`);
  await isRepaired(rig, later);
  expect(await news()).toEqual([...A_REPAIR, 'RepairLimit', ...A_REPAIR]);
  expect((await oracle.stop()).violations).toEqual([]);
});

it.concurrent('a member that loads for longer than it may be silent is left to it', LIMIT, async () => {
  const env = [
    { name: 'ETCD_SNAPSHOT_COUNT', value: '50' },
    { name: 'ETCD_SNAPSHOT_CATCHUP_ENTRIES', value: '10' },
    // Heartbeats are delayed in the same way.
    { name: 'ETCD_HEARTBEAT_INTERVAL', value: '500' },
    { name: 'ETCD_ELECTION_TIMEOUT', value: '10000' },
  ];
  const spec = { template: { spec: { containers: [{ name: 'etcd', env }] } } };
  const patch = { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 'etcd' }, spec };
  const settings = { REPAIR_JOIN_SECONDS: '1', ETCD_TIMEOUT_SECONDS: '5' };
  await using rig = await startEtcdRepair({ plane, settings, patches: [{ patch: stringify(patch) }] });
  await isBootstrapped(rig);
  await isWhole(rig);
  const news = await newsOf(rig);
  await fill(rig, 40);
  const leader = await rig.etcd.leader();
  const release = await rig.kubelet.slowNetwork(rig.podName(leader), 6000);

  const since = Date.now();
  await loseDisk(rig, rig.etcd.pods.find((pod) => pod !== leader) ?? '');
  await isTold(rig, news, 'Repaired');

  // 40 MiB at 6 Mbit/s; a silent member is granted one second, and the time these take at 4 MiB/s.
  expect(Date.now() - since).toBeGreaterThan(50_000);
  expect(await news()).toEqual(A_REPAIR);
  const [hook] = await rig.hookPods();
  const logs = await rig.kubelet.logs(rig.podName(hook?.metadata?.name ?? ''));
  expect(logs).toContain('waiting for the member to load');
  await release();
  await isWhole(rig);
});

async function enableAuthentication(rig: EtcdRepairRig, user: string): Promise<void> {
  const [name = '', password = ''] = user.split(':');
  await rig.etcd.anybody('auth/user/add', { name, password });
  await rig.etcd.anybody('auth/role/add', { name: 'root' });
  await rig.etcd.anybody('auth/user/grant', { user: name, role: 'root' });
  await rig.etcd.anybody('auth/enable');
}

async function ctl(rig: EtcdRepairRig, pod: string, ...args: readonly string[]): Promise<string> {
  const { stdout, stderr, exitCode } = await rig.kubelet.exec(rig.podName(pod), ['real-etcdctl', ...args]);
  expect(exitCode, stderr).toBe(0);
  return stdout.trim();
}

/** Writes so many MiB, in keys of half a MiB. */
async function fill(rig: EtcdRepairRig, mebibytes: number): Promise<void> {
  const value = Buffer.alloc(512 * 1024, 'x').toString('base64');
  for (let at = 0; at < 2 * mebibytes; at++) {
    const key = Buffer.from(`large/${at}`).toString('base64');
    await eventually(async () => rig.etcd.ask(rig.etcd.pods[0] ?? '', 'kv/put', { key, value }, 10_000));
  }
}
