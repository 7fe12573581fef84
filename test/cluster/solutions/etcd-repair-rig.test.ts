import { expect, it } from 'vitest';
import { sharedControlPlane } from '../shared-control-plane.ts';
import { corruptSilently } from './etcd-corruption.ts';
import { EtcdOracle } from './etcd-oracle.ts';
import { startEtcdRepair } from './etcd-repair-rig.ts';
import { A_REPAIR, isRepaired } from './etcd-repair-line.ts';
import { isBootstrapped, isWhole, loseDisk, newsOf } from './etcd-repair-steps.ts';
import { eventually } from './eventually.ts';

const plane = sharedControlPlane();
const LIMIT = { timeout: 1_200_000 };
/** The defaults of etcd; the manifests turn its corruption checks on. */
const UNCHECKED = {
  ETCD_FEATURE_GATES: 'InitialCorruptCheck=false,CompactHashCheck=false',
  ETCD_CORRUPT_CHECK_TIME: '0s',
};

it('with certificates and passwords nobody gets in without them, and the hook replaces a member', LIMIT, async () => {
  await using rig = await startEtcdRepair({ plane, tls: true, auth: true });
  await isBootstrapped(rig);
  await isWhole(rig);
  const address = rig.kubelet.addressOf(rig.podName('etcd-0'));
  const oracle = new EtcdOracle(rig.etcd);
  oracle.start();

  await eventually(() => expect(oracle.acknowledged).toBeGreaterThan(50));

  const ctl = async (...args: readonly string[]) =>
    rig.kubelet.exec(rig.podName('etcd-0'), ['etcdctl', '--endpoints', 'https://127.0.0.1:2379', ...args]);
  expect((await ctl('get', 'a')).stderr).toContain('permission denied');
  await expect(fetch(`http://${address}:2379/health`)).rejects.toThrow();
  const { violations, refused } = await oracle.stop();
  expect({ violations, refused }).toEqual({ violations: [], refused: 0 });

  const news = await newsOf(rig);
  await loseDisk(rig, await rig.etcd.follower());
  await isRepaired(rig, news);
  expect(await news()).toEqual(A_REPAIR);
});

it(
  'a member that is corrupted silently holds other bytes, and without its checks etcd does not tell',
  LIMIT,
  async () => {
    await using rig = await startEtcdRepair({ plane, withoutHook: true, memberEnv: UNCHECKED });
    await eventually(async () => expect(await rig.etcd.statuses()).toHaveLength(3));

    for (const then of ['restarted', 'running'] as const) {
      const { key, right, wrong } = await corruptSilently(rig, 'etcd-1', then);

      const held = rig.etcd.pods.map(async (pod) => rig.etcd.heldBy(pod, key));
      expect(await Promise.all(held)).toEqual([right, wrong, right]);
    }
    expect(new Set(await rig.etcd.hashes()).size).toBe(2);
    expect(await rig.etcd.anybody('maintenance/alarm')).not.toHaveProperty('alarms');
  },
);
