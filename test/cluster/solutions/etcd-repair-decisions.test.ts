import { expect, it } from 'vitest';
import { corruptSilently } from './etcd-corruption.ts';
import { sharedControlPlane } from '../shared-control-plane.ts';
import { EtcdOracle } from './etcd-oracle.ts';
import { untoldEnds } from './etcd-repair-ends.ts';
import { A_REPAIR } from './etcd-repair-line.ts';
import { startEtcdRepair } from './etcd-repair-rig.ts';
import {
  isBootstrapped,
  isTold,
  isWhole,
  loseDisk,
  membersOf,
  newsOf,
  outlastsPatience,
  storageOf,
} from './etcd-repair-steps.ts';
import { eventually } from './eventually.ts';

const plane = sharedControlPlane();
const LIMIT = { timeout: 2_400_000 };

it.concurrent('of five members two that lost their disks are replaced, one after the other', LIMIT, async () => {
  await using rig = await startEtcdRepair({ plane, replicas: 5 });
  await isBootstrapped(rig);
  await isWhole(rig);
  const oracle = new EtcdOracle(rig.etcd);
  // etcd adds no member while a voter is down, so both are removed before the first is added.
  oracle.allowVoters(3);
  oracle.start();
  const news = await newsOf(rig);
  const before = await membersOf(rig);

  await Promise.all([loseDisk(rig, 'etcd-1'), loseDisk(rig, 'etcd-3')]);

  await eventually(async () => expect(await news()).toEqual([...A_REPAIR, ...A_REPAIR]));
  await isWhole(rig);
  expect(untoldEnds(await rig.events())).toEqual([]);
  const after = await membersOf(rig);
  expect(
    after
      .filter(({ ID }) => before.some((member) => member.ID === ID))
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(['etcd-0', 'etcd-2', 'etcd-4']);
  expect((await oracle.stop()).violations).toEqual([]);
});

it.concurrent('nobody is replaced whom etcd itself blames because its leader is wrong', LIMIT, async () => {
  await using rig = await startEtcdRepair({ plane, memberEnv: { ETCD_CORRUPT_CHECK_TIME: '5s' } });
  await isBootstrapped(rig);
  await isWhole(rig);
  const news = await newsOf(rig);
  const before = await storageOf(rig);

  const leader = await rig.etcd.leader();
  await corruptSilently(rig, leader);

  const said = await isTold(rig, news, 'HashesDiffer');
  const [, blamed] = /The alarm CORRUPT is about (etcd-\d), which may be wrong/.exec(said) ?? [];
  expect(rig.etcd.pods.filter((pod) => pod !== leader)).toContain(blamed);
  await outlastsPatience(rig);
  expect(await storageOf(rig)).toEqual(before);
  expect(await news()).not.toContain('RepairStarted');
});
