import { expect, it } from 'vitest';
import { withoutApiserver } from '../operator-rig.ts';
import { sharedControlPlane } from '../shared-control-plane.ts';
import { EtcdOracle } from './etcd-oracle.ts';
import { A_REPAIR } from './etcd-repair-line.ts';
import { startEtcdRepair } from './etcd-repair-rig.ts';
import { isBootstrapped, isTold, isWhole, loseDisk, newsOf } from './etcd-repair-steps.ts';
import { eventually } from './eventually.ts';

const plane = sharedControlPlane();

// In a file of its own, because it stops the API server for all tests of the worker.
it('a repair goes on after an outage of the API server in the middle of it', { timeout: 1_600_000 }, async () => {
  await using rig = await startEtcdRepair({ plane });
  await isBootstrapped(rig);
  const news = await newsOf(rig);
  const oracle = new EtcdOracle(rig.etcd);
  oracle.start();
  const victim = await rig.etcd.follower();

  // Otherwise the repair may be a step further before the test sees it.
  const release = await rig.control(
    'before-member-remove',
    'echo "Error: etcdserver: unhealthy cluster" >&2; exit 1\n',
  );
  await loseDisk(rig, victim);
  await eventually(async () => expect((await rig.state()).repair?.step).toBe('recorded'));
  const [hook] = await rig.hookPods();
  const logs = async (): Promise<string> => rig.kubelet.logs(rig.podName(hook?.metadata?.name ?? ''));
  const before = (await logs()).length;
  await withoutApiserver(plane, async () => {
    await release();
    // Whether a new Pod could be created cannot be checked, so the old member stays.
    await eventually(async () => expect((await logs()).slice(before)).toContain('the API server cannot be asked'));
    expect(await rig.etcd.members()).toHaveLength(3);
  });

  await isTold(rig, news, 'Repaired');
  await isWhole(rig);
  expect(await news()).toEqual(A_REPAIR);
  expect((await oracle.stop()).violations).toEqual([]);
});
