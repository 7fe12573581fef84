import type { V1Pod } from '@kubernetes/client-node';
import { eventually } from '../../cluster/solutions/eventually.ts';
import type { Installed } from './installs.ts';

const LIMIT_MS = 300_000;

/** The Pod of an installed operator, of which its Deployment makes another one. */
export interface OperatorPod {
  /** Scales the Deployment to one, and waits until that is ready. */
  readonly startOperator: () => Promise<void>;
  /** Scales the Deployment to none, and waits until the Pod is gone. */
  readonly stopOperator: () => Promise<void>;
  /** Has the Pod killed, and waits until another one is ready. */
  readonly restartOperator: () => Promise<void>;
  /** Lines of its log of this level. */
  readonly logged: (level: string) => Promise<readonly string[]>;
}

/** Controls the operator whose Deployment and label `app` have this name. */
export function operatorPod(
  { kubectl, get, kubelet }: Installed,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): OperatorPod {
  const pods = async (): Promise<readonly string[]> => {
    const { items } = await get<{ items: readonly V1Pod[] }>('pods', '-l', `app=${name}`);
    return items.map(({ metadata }) => metadata?.name ?? '');
  };
  const scale = async (replicas: number): Promise<void> => {
    await kubectl('scale', `deployment/${name}`, `--replicas=${replicas}`);
    await eventually(async () => {
      const { status } = await get<{ status: { readyReplicas?: number } }>('deployment', name);
      const ready = status.readyReplicas ?? 0;
      if (ready !== replicas || (await pods()).length !== replicas)
        throw new Error(`${ready} of ${replicas} are ready`);
    }, LIMIT_MS);
  };
  return {
    stopOperator: async () => scale(0),
    startOperator: async () => scale(1),
    restartOperator: async () => {
      for (const pod of await pods()) await kubectl('delete', 'pod', pod, '--grace-period=0', '--force');
      await scale(1);
    },
    logged: async (level) => {
      const logs = await Promise.all((await pods()).map(async (pod) => kubelet.logs({ namespace, name: pod })));
      return logs.flatMap((log) => log.split('\n')).filter((line) => line.includes(`"level":"${level}"`));
    },
  };
}
