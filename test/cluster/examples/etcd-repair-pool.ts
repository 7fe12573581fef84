import type { SharedControlPlane } from '../shared-control-plane.ts';
import type { Twin } from './etcd-repair-image.ts';
import { startEtcdRepair, type EtcdRepairRig } from './etcd-repair-rig.ts';
import { isBootstrapped } from './etcd-repair-steps.ts';

/** Clusters of three that tests use one after the other, as long as they leave them whole. */
export interface ClusterPool extends AsyncDisposable {
  /** Waits for a cluster that nobody uses, and lends it. */
  with(twin: Twin, use: (rig: EtcdRepairRig) => Promise<void>): Promise<void>;
}

/** So many clusters at once, each started when it is needed. */
export function clusterPool(plane: SharedControlPlane, sizes: Readonly<Record<Twin, number>>): ClusterPool {
  const idle: Record<Twin, EtcdRepairRig[]> = { shell: [], typescript: [] };
  const free: Record<Twin, number> = { ...sizes };
  const waiting: Record<Twin, (() => void)[]> = { shell: [], typescript: [] };
  return {
    async with(twin, use) {
      if (free[twin] === 0) await new Promise<void>((resolve) => waiting[twin].push(resolve));
      else free[twin]--;
      try {
        const rig = idle[twin].pop() ?? (await newCluster(plane, twin));
        try {
          await use(rig);
          idle[twin].push(rig);
        } catch (error) {
          // What is left of it may make the next test fail as well.
          throw new Error(await describe(rig), { cause: error });
        } finally {
          if (!idle[twin].includes(rig)) await rig[Symbol.asyncDispose]();
        }
      } finally {
        const next = waiting[twin].shift();
        if (next === undefined) free[twin]++;
        else next();
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...idle.shell, ...idle.typescript].map(async (rig) => rig[Symbol.asyncDispose]()));
    },
  };
}

async function newCluster(plane: SharedControlPlane, twin: Twin): Promise<EtcdRepairRig> {
  const rig = await startEtcdRepair({ plane, twin });
  try {
    await isBootstrapped(rig);
    return rig;
  } catch (error) {
    const why = new Error(await describe(rig), { cause: error });
    await rig[Symbol.asyncDispose]();
    throw why;
  }
}

/** What a person would look at. */
async function describe(rig: EtcdRepairRig): Promise<string> {
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
    `the cluster in ${rig.namespace} (${rig.twin}) is not as it should be`,
    await said(rig.state),
    await said(rig.events),
    await said(async () => rig.etcd.members()),
    await said(async () => rig.etcd.statuses()),
    await said(async () => rig.kubectl('get', 'pods,persistentvolumeclaims')),
    ...(await Promise.all(logs)),
  ];
  return parts.join('\n');
}
