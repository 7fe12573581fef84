import type { SharedControlPlane } from '../shared-control-plane.ts';
import { startEtcdRepair, type EtcdRepairRig } from './etcd-repair-rig.ts';
import { isBootstrapped } from './etcd-repair-steps.ts';

/** Clusters of three that tests use one after the other, as long as they are left whole. */
export interface ClusterPool extends AsyncDisposable {
  /** Waits for an unused cluster, and lends it. */
  with(use: (rig: EtcdRepairRig) => Promise<void>): Promise<void>;
}

/** A pool of at most so many clusters, each started when it is needed. */
export function clusterPool(plane: SharedControlPlane, size: number): ClusterPool {
  const idle: EtcdRepairRig[] = [];
  const waiting: (() => void)[] = [];
  let free = size;
  return {
    async with(use) {
      if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
      else free--;
      try {
        const rig = idle.pop() ?? (await newCluster(plane));
        try {
          await use(rig);
          idle.push(rig);
        } catch (error) {
          // A cluster that is left broken may make the next test fail as well, so it is not used again.
          throw new Error(`${firstLine(error)}; ${await describe(rig)}`, { cause: error });
        } finally {
          if (!idle.includes(rig)) await rig[Symbol.asyncDispose]();
        }
      } finally {
        const next = waiting.shift();
        if (next === undefined) free++;
        else next();
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(idle.map(async (rig) => rig[Symbol.asyncDispose]()));
    },
  };
}

async function newCluster(plane: SharedControlPlane): Promise<EtcdRepairRig> {
  const rig = await startEtcdRepair({ plane });
  try {
    await isBootstrapped(rig);
    return rig;
  } catch (error) {
    const why = new Error(await describe(rig), { cause: error });
    await rig[Symbol.asyncDispose]();
    throw why;
  }
}

/** The summary of a test run shows the first line of an error alone. */
function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n', 1)[0] ?? '';
}

/** The information that a person needs to find out what is wrong with a cluster. */
export async function describe(rig: EtcdRepairRig): Promise<string> {
  const said = async (what: () => Promise<unknown>): Promise<string> => {
    try {
      const found = await what();
      return typeof found === 'string' ? found : JSON.stringify(found);
    } catch (error) {
      return String(error);
    }
  };
  const pods = [...rig.etcd.pods, ...(await rig.hookPods()).map(({ metadata }) => metadata?.name ?? '')];
  const logs = pods.map(
    async (pod) => `${pod}: ${(await said(async () => rig.kubelet.logs(rig.podName(pod)))).slice(-2500)}`,
  );
  const parts = [
    `the cluster in ${rig.namespace} is not as it should be`,
    await said(rig.state),
    await said(rig.events),
    await said(async () => rig.etcd.members()),
    await said(async () => rig.etcd.statuses()),
    await said(async () => rig.kubectl('get', 'pods,persistentvolumeclaims')),
    ...(await Promise.all(logs)),
  ];
  return parts.join('\n');
}
