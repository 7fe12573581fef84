import { expect, it } from 'vitest';
import type { V1Role } from '@kubernetes/client-node';
import { forbiddenRequests, serviceAccountUser, unusedRules, type RoleRule } from '../audit.ts';
import { sharedControlPlane } from '../shared-control-plane.ts';
import { EtcdOracle } from './etcd-oracle.ts';
import { OTHER_VERSION } from './etcd-repair-image.ts';
import { A_REPAIR } from './etcd-repair-line.ts';
import { startEtcdRepair, type EtcdRepairRig } from './etcd-repair-rig.ts';
import {
  isBootstrapped,
  isTold,
  isMeasured,
  isWhole,
  loseDisk,
  newsOf,
  runsMore,
  storageOf,
} from './etcd-repair-steps.ts';
import { eventually } from './eventually.ts';
// They run beside those below, one of which takes as long as all others.
import './etcd-repair-limits.ts';

const plane = sharedControlPlane();
const LIMIT = { timeout: 2_400_000 };

/** Replaces the hook by another version of it, as an upgrade does, and waits until the Pod of that one is alone. */
async function upgrade(rig: EtcdRepairRig): Promise<void> {
  await rig.kubectl('set', 'image', 'deployment/etcd-member-repair', `hooklet=${OTHER_VERSION}`);
  await eventually(async () => {
    const pods = await rig.hookPods();
    expect(pods.map(({ spec }) => spec?.containers[0]?.image)).toEqual([OTHER_VERSION]);
    expect(pods[0]?.status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('True');
  });
}

/** The writes that the account of the hook requested in its namespace. */
async function writesOf({ namespace }: EtcdRepairRig): Promise<readonly string[]> {
  const user = serviceAccountUser(namespace, 'etcd-member-repair');
  return (
    (await plane.auditLog())
      .filter((entry) => entry.user === user && ['create', 'patch', 'update', 'delete'].includes(entry.verb))
      // A question about one's own rights, which changes nothing.
      .filter(({ resource }) => resource !== 'selfsubjectaccessreviews')
      .map(({ verb, resource, name }) => `${verb} ${resource} ${name}`)
  );
}

const QUIET =
  'the hook needs all of its rights, no others, and writes nothing while all is well, nor when it is upgraded';

it.concurrent(QUIET, LIMIT, async () => {
  // A member that seems unhealthy for a moment is recorded, so members get more time to answer on a busy machine.
  await using rig = await startEtcdRepair({ plane, settings: { ETCD_TIMEOUT_SECONDS: '5' } });
  await isBootstrapped(rig);
  await isWhole(rig);
  await runsMore(rig, 1);
  const before = await writesOf(rig);
  await runsMore(rig, 3);
  const storage = await storageOf(rig);
  await upgrade(rig);
  await runsMore(rig, 2);
  expect(await writesOf(rig)).toEqual(before);
  expect(await storageOf(rig)).toEqual(storage);
  const oracle = new EtcdOracle(rig.etcd);
  oracle.start();

  // Each certificate has its own name.
  for (const pod of rig.etcd.pods) {
    const news = await newsOf(rig);
    await loseDisk(rig, pod);
    await isTold(rig, news, 'Repaired');
    await isWhole(rig);
  }

  expect((await oracle.stop()).violations).toEqual([]);
  const role = await rig.get<V1Role>('roles', 'etcd-member-repair');
  const user = serviceAccountUser(rig.namespace, 'etcd-member-repair');
  const entries = await plane.auditLog();
  expect(forbiddenRequests(entries, user)).toEqual([]);
  expect(unusedRules((role?.rules ?? []) as readonly RoleRule[], entries, user)).toEqual([]);
});

it.concurrent(
  'etcd runs on while the hook is stopped, and a repair goes on in another version of it',
  LIMIT,
  async () => {
    await using rig = await startEtcdRepair({ plane });
    await isBootstrapped(rig);
    const news = await newsOf(rig);
    const oracle = new EtcdOracle(rig.etcd);
    oracle.start();
    await rig.scaleHook(0);
    await eventually(async () => expect(await rig.hookPods()).toEqual([]));
    const before = await storageOf(rig);

    await loseDisk(rig, await rig.etcd.leader());
    const { acknowledged } = oracle;
    await eventually(() => expect(oracle.acknowledged).toBeGreaterThan(acknowledged + 50));

    expect(await storageOf(rig)).toEqual(before);
    // One version records the repair, and is not let further; another one takes it from there.
    const release = await rig.control('before-member-remove', 'echo "Error: unhealthy cluster" >&2; exit 1\n');
    await rig.scaleHook(1);
    await eventually(async () => expect((await rig.state()).repair?.step).toBe('recorded'));
    const { repair: begun } = await rig.state();
    await upgrade(rig);
    await runsMore(rig, 1);
    expect((await rig.state()).repair).toEqual(begun);
    expect(await storageOf(rig)).toEqual(before);
    await release();
    await isTold(rig, news, 'Repaired');
    await isWhole(rig);
    expect(await news()).toEqual(A_REPAIR);
    expect((await oracle.stop()).violations).toEqual([]);
  },
);

it.concurrent.each([1, 2])('of %i member(s) none is replaced, which is told at once', LIMIT, async (replicas) => {
  await using rig = await startEtcdRepair({ plane, replicas });
  // All Events, as the hook may already have reported the first one.
  const news = async (): Promise<readonly string[]> => (await rig.events()).map(({ reason }) => reason);

  expect(await isTold(rig, news, 'TooFewMembers')).toContain('Grow the cluster to three');
  await isBootstrapped(rig);
  const before = await storageOf(rig);
  if (replicas === 2) await loseDisk(rig, 'etcd-1');
  await runsMore(rig, 3);

  await isMeasured(rig, /etcd_repair_refused\{.*reason="TooFewMembers".*\} 1/);
  expect(await storageOf(rig)).toEqual(before);
  expect((await news()).toSorted()).toEqual(['Bootstrapped', 'TooFewMembers']);
});

it.concurrent('of three members none is replaced while two are down, nor when they are back', LIMIT, async () => {
  // The third one finds them again when it dials again. etcd may wait half a minute for that, longer than a member
  // may be down.
  await using rig = await startEtcdRepair({ plane });
  await isBootstrapped(rig);
  await isWhole(rig);
  const oracle = new EtcdOracle(rig.etcd);
  oracle.start();
  const news = await newsOf(rig);
  const before = await storageOf(rig);

  const again = await Promise.all(['etcd-0', 'etcd-2'].map(async (pod) => rig.kubelet.cutOff(rig.podName(pod))));
  expect(await isTold(rig, news, 'QuorumLost')).toContain('--bump-revision 1000000000 --mark-compacted');
  await isMeasured(rig, /etcd_repair_refused\{.*reason="QuorumLost".*\} 1/);
  expect(await storageOf(rig)).toEqual(before);
  await Promise.all(again.map(async (reconnect) => reconnect()));
  await isWhole(rig);

  expect(await storageOf(rig)).toEqual(before);
  expect(await news()).toEqual(['QuorumLost']);
  expect((await oracle.stop()).violations).toEqual([]);
});

it.concurrent('no member is replaced because its certificate has expired', LIMIT, async () => {
  await using rig = await startEtcdRepair({
    plane,
    tls: { expired: ['etcd-1'] },
    // With a shorter timeout, a slow machine does not get to the cause of a failed connection.
    settings: { ETCD_TIMEOUT_SECONDS: '5' },
  });
  const news = async (): Promise<readonly string[]> => (await rig.events()).map(({ reason }) => reason);

  expect(await isTold(rig, news, 'CertificateExpired')).toMatch(/etcd-1(?:: .*certificate)? has expired/);

  const before = await storageOf(rig);
  await runsMore(rig, 2);
  expect(await storageOf(rig)).toEqual(before);
  expect(await news()).not.toContain('RepairStarted');
});
