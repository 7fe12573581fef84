import { startFleet, writeFleet, type HookFleet } from '../hooks-start.ts';
import type { Measure } from '../row.ts';
import { stageFolder, type BenchStage } from '../stage.ts';

const ROUNDS = 3;
const HOOKS = 1000;
const FEW_HOOKS = 250;
const KINDS = {
  v1: `ConfigMap Endpoints Event LimitRange Namespace Node PersistentVolume PersistentVolumeClaim Pod PodTemplate
    ReplicationController ResourceQuota Secret Service`,
  'apps/v1': 'ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet',
  'batch/v1': 'Job',
};

/**
 * 1,000 hooks that share 20 watches, from the start of the process to the last Synchronization; and the time per hook,
 * which should be the same as with a quarter as many hooks.
 */
export async function row(stage: BenchStage): Promise<readonly Measure[]> {
  const many = await startFleet(stage, writeHooks(stage, HOOKS), ROUNDS);
  const few = await startFleet(stage, writeHooks(stage, FEW_HOOKS), ROUNDS);
  const [of1000, of250] = [(many.hooklet * 1000) / HOOKS, (few.hooklet * 1000) / FEW_HOOKS];
  return [
    { name: 'time', unit: 's', ...many, goal: { type: 'value', most: 10 } },
    { name: 'a hook of 1000 : of 250', unit: 'ms', hooklet: of1000, limit: of250, goal: { type: 'ratio', most: 1.15 } },
  ];
}

function writeHooks(stage: BenchStage, count: number): HookFleet {
  const kinds = Object.entries(KINDS).flatMap(([apiVersion, names]) =>
    names.split(/\s+/).map((kind) => ({ apiVersion, kind })),
  );
  const bindings = Array.from({ length: count }, (_, index) => kinds[index % kinds.length] ?? {});
  return writeFleet(stageFolder(stage, `hooks-${count}`), bindings, kinds.map(collectionPath));
}

function collectionPath({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): string {
  const plural = kind === 'Endpoints' ? 'endpoints' : `${kind.toLowerCase()}s`;
  return apiVersion === 'v1' ? `/api/v1/${plural}` : `/apis/${apiVersion}/${plural}`;
}
