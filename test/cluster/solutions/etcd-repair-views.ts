import type { KubernetesObject } from '@kubernetes/client-node';
import hook from '../../../solutions/etcd-repair/hooks/etcd-repair.ts';
import { compileFilter } from '../../../src/filter/filter.ts';
import type { EtcdRepairRig } from './etcd-repair-rig.ts';

/** The contexts that a run of the hook would get now: the objects after its own filters. */
export async function viewNow({ etcd, get }: EtcdRepairRig): Promise<string> {
  const all = async (plural: string, names: readonly string[]): Promise<readonly KubernetesObject[]> => {
    const found = await Promise.all(names.map(async (name) => get<KubernetesObject>(plural, name)));
    return found.filter((object) => object !== undefined);
  };
  const objects = {
    statefulset: await all('statefulsets', ['etcd']),
    pods: await all('pods', etcd.pods),
    claims: await all(
      'persistentvolumeclaims',
      etcd.pods.map((pod) => `data-${pod}`),
    ),
    marker: await all('configmaps', ['etcd-cluster']),
  };
  const snapshots = Object.entries(objects).map(([binding, found]) => {
    const filter = compileFilter({ type: 'jq', expression: expressionOf(binding) });
    return [binding, found.map((object) => ({ filterResult: JSON.parse(filter.apply(object).result) as unknown }))];
  });
  return asGroup(Object.fromEntries(snapshots));
}

/** The snapshots of the hook's bindings; without Events, as if none had been seen yet. */
export function asGroup(snapshots: Readonly<Record<string, readonly object[]>>): string {
  return JSON.stringify([
    { binding: 'pods', type: 'Group', groupName: 'etcd-repair', snapshots: { events: [], ...snapshots } },
  ]);
}

function expressionOf(binding: string): string {
  const { kubernetes } = hook.config as { readonly kubernetes: readonly Readonly<Record<string, string>>[] };
  const expression = kubernetes.find(({ name }) => name === binding)?.['jqFilter'];
  if (expression === undefined) throw new Error(`the hook has no binding ${binding} with a filter`);
  return expression;
}
