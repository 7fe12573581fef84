import { expect, it } from 'vitest';
import { sharedControlPlane } from '../shared-control-plane.ts';
import { EtcdOracle } from '../solutions/etcd-oracle.ts';
import { eventually } from '../solutions/eventually.ts';
import { startEtcdOperator, type EtcdClusterRig } from './etcd-cluster-rig.ts';

const plane = sharedControlPlane();
const LIMIT = { timeout: 2_400_000 };

async function namesOf(rig: EtcdClusterRig): Promise<readonly string[]> {
  return (await rig.status()).members?.map(({ name }) => name) ?? [];
}

it('an etcd of three is made, killed, grown, shrunk, upgraded and repaired, and loses no write', LIMIT, async () => {
  await using rig = await startEtcdOperator(plane);
  await rig.ask({});
  const { clusterID } = await rig.isReady(3);
  const oracle = new EtcdOracle(rig.clients(5));
  oracle.allowVoters(2);
  oracle.start();

  await rig.kubelet.kill({ namespace: rig.namespace, name: 'etcd-0-0' });
  await rig.ask({ replicas: 5 });
  await rig.isReady(5);
  expect(await namesOf(rig)).toEqual(['etcd-0', 'etcd-1', 'etcd-2', 'etcd-3', 'etcd-4']);
  await rig.ask({ replicas: 3 });
  await rig.isReady(3);
  expect(await namesOf(rig)).toEqual(['etcd-0', 'etcd-1', 'etcd-2']);
  await eventually(async () => expect(await rig.kubectl('get', 'pvc', '-o', 'name')).not.toContain('data-etcd-4'));

  await rig.ask({ version: '3.6.7' });
  await eventually(async () => {
    const images = await rig.kubectl('get', 'pods', '-o', 'jsonpath={.items[*].spec.containers[*].image}');
    expect(images.match(/etcd:v3\.6\.7/g)).toHaveLength(3);
  });
  await rig.isReady(3);

  // What is lost with the disk comes from the others.
  await rig.kubelet.kill({ namespace: rig.namespace, name: 'etcd-1-0' }, { signal: 'SIGSTOP' });
  await rig.kubelet.wipe(rig.namespace, 'data-etcd-1');
  await rig.kubelet.kill({ namespace: rig.namespace, name: 'etcd-1-0' });
  await rig.ask({ version: '3.6.7', repair: { after: '20s' } });
  await eventually(async () => expect(await rig.kubectl('get', 'events')).toContain('MemberReplaced'));
  await rig.ask({ version: '3.6.7' });
  const status = await rig.isReady(3);

  expect(status.clusterID).toBe(clusterID);
  const { violations, acknowledged } = await oracle.stop();
  expect(violations).toEqual([]);
  expect(acknowledged).toBeGreaterThan(100);

  // A new cluster from a snapshot: its revision is far ahead, so that no watch sees time go back.
  await rig.clients(3).put('kept', 'yes');
  await rig.apply(...backupAndRestore());
  await eventually(async () =>
    expect(await rig.kubectl('get', 'etcdrestore', 'monday', '-o', 'yaml')).toContain('Restored'),
  );
  const restored = rig.clients(1, 'restored');
  expect(await restored.heldBy('restored-0-0', 'kept')).toBe('yes');
  expect((await restored.status('restored-0-0')).revision).toBeGreaterThan(1_000_000_000);
  expect(await rig.refused()).toEqual([]);
});

function backupAndRestore(): readonly object[] {
  const apiVersion = 'etcd.hooklet.dev/v1';
  const template = { replicas: 1, version: '3.6.7', storage: { size: '1Gi' } };
  return [
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'backups' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    },
    {
      apiVersion,
      kind: 'EtcdBackup',
      metadata: { name: 'monday' },
      spec: { cluster: 'etcd', claimName: 'backups' },
    },
    {
      apiVersion,
      kind: 'EtcdRestore',
      metadata: { name: 'monday' },
      spec: { backup: 'monday', cluster: 'restored', template },
    },
  ];
}
