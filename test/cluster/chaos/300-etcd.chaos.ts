import { expect, it } from 'vitest';
import { chaosFigures } from '../../operators/kit/chaos.ts';
import { etcdChaos } from '../operators/etcd-cluster-chaos.ts';
import { startEtcdOperator } from '../operators/etcd-cluster-rig.ts';
import { sharedControlPlane } from '../shared-control-plane.ts';

const plane = sharedControlPlane();

it('an EtcdCluster is whole again whatever happens to it, and loses no acknowledged write', async () => {
  await using rig = await startEtcdOperator(plane);
  const { rounds, report } = await etcdChaos(rig, {
    rounds: Number(process.env['CHAOS_ROUNDS'] ?? 50),
    seed: Number(process.env['CHAOS_SEED'] ?? 1),
    tell: (line) => console.log(line),
  });

  for (const line of chaosFigures(rounds)) console.log(line);
  console.log(`${report.acknowledged} writes acknowledged, ${report.refused} refused`);
  expect(report.violations).toEqual([]);
  expect(await rig.refused()).toEqual([]);
});
