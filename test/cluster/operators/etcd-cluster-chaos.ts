import { expect } from 'vitest';
import { chaosRounds, type ChaosFault, type ChaosRound } from '../../operators/kit/chaos.ts';
import type { EtcdApi } from '../solutions/etcd-api.ts';
import { EtcdOracle, type OracleReport } from '../solutions/etcd-oracle.ts';
import { eventually } from '../solutions/eventually.ts';
import type { EtcdClusterRig } from './etcd-cluster-rig.ts';

/** How long a member must not answer before it is replaced: longer than any start, on any machine. */
const REPAIR = { after: '30s' };
const LIMIT_MS = 600_000;
const LABEL = 'etcd.hooklet.dev/cluster=etcd';

export interface EtcdChaos {
  readonly rounds: readonly ChaosRound[];
  readonly report: OracleReport;
}

/**
 * Lets go wrong what can, round by round, under a writer. Whole is: every member that is asked for takes part and
 * answers a linearizable read itself, every object of it is there, the status says so, and it is the cluster that it was
 * at first.
 */
export async function etcdChaos(
  rig: EtcdClusterRig,
  options: { readonly rounds: number; readonly seed: number; readonly tell?: (line: string) => void },
): Promise<EtcdChaos> {
  await rig.ask({ repair: REPAIR });
  const { clusterID, members: first = [] } = await rig.isReady(3);
  // One that is replaced gets another name.
  const pods = first.map(({ name }) => `${name}-0`);
  const etcd = rig.clientOf(pods);
  const oracle = new EtcdOracle(etcd);
  // One that lost its disk is removed before it is there again.
  oracle.allowVoters(2);
  oracle.start();
  const size = { now: 3 };
  const isWhole = async (): Promise<void> => {
    const { conditions, members = [], clusterID: id } = await rig.status();
    expect(conditions?.find(({ type }) => type === 'Ready')).toMatchObject({ status: 'True' });
    expect(id).toBe(clusterID);
    expect(members).toHaveLength(size.now);
    pods.splice(0, pods.length, ...members.map(({ name }) => `${name}-0`));
    const objects = await rig.kubectl('get', 'services,configmaps,statefulsets,pvc,pdb', '-o', 'name');
    for (const { name } of members) {
      for (const kind of ['configmap', 'statefulset.apps']) expect(objects).toContain(`${kind}/${name}\n`);
      expect(objects).toContain(`persistentvolumeclaim/data-${name}\n`);
      await etcd.ask(`${name}-0`, 'kv/range', { key: 'aw==' });
    }
    for (const name of ['service/etcd', 'service/etcd-client', 'poddisruptionbudget.policy/etcd'])
      expect(objects).toContain(`${name}\n`);
    expect(await etcd.members()).toHaveLength(size.now);
    expect(await rig.kubectl('get', 'deployment', 'etcd-operator')).toMatch(/ 1\/1 /);
  };
  const rounds = await chaosRounds({
    ...options,
    faults: faultsOf(rig, etcd, size),
    isWhole,
    limitMs: LIMIT_MS,
  });
  return { rounds, report: await oracle.stop() };
}

function faultsOf(rig: EtcdClusterRig, etcd: EtcdApi, size: { now: number }): readonly ChaosFault[] {
  const { kubelet, namespace } = rig;
  const kill = async (name: string): Promise<void> => kubelet.kill({ namespace, name });
  const remove = async (kind: string, ...names: readonly string[]): Promise<void> =>
    void (await rig.kubectl('delete', kind, ...names, '--wait=false'));
  const killOperator = async (): Promise<void> =>
    remove('pod', '-l', 'app=etcd-operator', '--grace-period=0', '--force');
  const resize = async (replicas: number): Promise<void> => {
    size.now = replicas;
    await eventually(async () => rig.ask({ replicas, repair: REPAIR }));
  };
  /** Grows three to five, or shrinks five to three. */
  const other = async (): Promise<void> => resize(size.now === 3 ? 5 : 3);
  return [
    { name: 'a follower is killed', act: async () => kill(await etcd.follower()) },
    { name: 'the leader is killed', act: async () => kill(await etcd.leader()) },
    { name: 'the Pod of the leader is deleted', act: async () => remove('pod', await etcd.leader()) },
    {
      name: 'a StatefulSet is deleted',
      act: async () => remove('statefulset', (await etcd.follower()).replace(/-0$/, '')),
    },
    { name: 'the Services and ConfigMaps are deleted', act: async () => remove('services,configmaps', '-l', LABEL) },
    { name: 'the operator is killed', act: killOperator },
    {
      name: 'a member is cut off for ten seconds',
      act: async () => {
        const connect = await kubelet.cutOff({ namespace, name: await etcd.follower() });
        await new Promise((resolve) => setTimeout(resolve, 10_000));
        await connect();
      },
    },
    {
      name: 'the disk of a member is lost',
      act: async () => {
        const name = await etcd.follower();
        await kubelet.kill({ namespace, name }, { signal: 'SIGSTOP' });
        await kubelet.wipe(namespace, `data-${name.replace(/-0$/, '')}`);
        await kill(name);
      },
    },
    {
      name: 'the size changes while the operator is killed',
      act: async () => {
        await other();
        await killOperator();
      },
    },
    {
      name: 'the size changes while the leader is killed',
      act: async () => {
        await other();
        await kill(await etcd.leader());
      },
    },
  ];
}
