import { expect } from 'vitest';
import { isJsonObject, type Sandbox, type SandboxOptions, startSandbox } from '@hooklet/sandbox';
import { createCluster, type Cluster } from '../../src/kube/credentials/cluster.ts';
import { disordersOf, lastStates, sightingsOf, stateOf, withoutRepeated } from './fault-ledger.ts';
import { recordingHook, startOperator, until, type OperatorRig, type RigOptions } from './operator-rig.ts';
import { within } from './within.ts';

/**
 * An operator with a process hook in shell and a warm hook, both on the ConfigMaps of `default`, for faults to strike.
 */
export interface FaultRig extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly operator: OperatorRig;
  put(name: string, value: string): Promise<void>;
  remove(name: string): Promise<void>;
  /**
   * Waits until both hooks have seen the current state of everything, in order, and until everything exists that the
   * warm hook requested: a copy of each ConfigMap.
   */
  caughtUp(): Promise<void>;
  /** Fails unless that holds within the wall time that a promise allows. */
  caughtUpWithin(limitMs: number): Promise<void>;
  /** All values of one ConfigMap that the process hook saw, in order. */
  values(name: string): readonly string[];
  /** How often the ConfigMaps were listed, in pages or as a stream, since the log of requests was cleared. */
  lists(): number;
}

export interface FaultRigOptions extends Partial<RigOptions> {
  readonly sandboxOptions?: SandboxOptions;
  readonly watchIdleTimeoutMs?: number;
}

export const CONFIG_MAPS_PATH = '/api/v1/namespaces/default/configmaps';
const HOOKS = ['shell.sh', 'warm.ts'] as const;

/** Starts both, with two existing ConfigMaps, and waits until the hooks have seen them. */
export async function startFaultRig(given: FaultRigOptions = {}): Promise<FaultRig> {
  const { sandboxOptions, hooks, watchIdleTimeoutMs, operator: settings, ...options } = given;
  const sandbox = await startSandbox(sandboxOptions);
  const put = async (name: string, value: string): Promise<void> => void (await sandbox.apply(configMap(name, value)));
  await sandbox.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'copies' } });
  await put('a', '0');
  await put('b', '0');
  const connect = currentCluster(sandbox);
  const idle = watchIdleTimeoutMs === undefined ? {} : { watchIdleTimeoutMs };
  const operator = startOperator({
    connect,
    ...options,
    operator: { cluster: { connect, userAgent: 'hooklet-test', ...idle }, ...settings },
    hooks: { 'shell.sh': SHELL_HOOK, 'warm.ts': WARM_HOOK, ...hooks },
  });
  const sightings = (hook: string) => sightingsOf(withoutRepeated(operator.runs(hook)).flat());
  const isCaughtUp = async (): Promise<void> => {
    const objects = await statesIn(sandbox, 'default');
    for (const hook of HOOKS) {
      expect(lastStates(sightings(hook)), hook).toEqual(objects);
      expect(disordersOf(sightings(hook)), hook).toEqual([]);
    }
    expect(await statesIn(sandbox, 'copies'), 'copies').toEqual(objects);
  };
  const rig: FaultRig = {
    sandbox,
    operator,
    put,
    remove: async (name) => sandbox.delete(configMap(name, '')),
    caughtUp: async () => until(isCaughtUp),
    caughtUpWithin: async (limitMs) => within(limitMs, isCaughtUp),
    values: (name) =>
      sightings('shell.sh')
        .filter((sighting) => sighting.name === name && sighting.event !== 'Deleted')
        .map(({ value }) => value),
    lists: () => sandbox.requests.filter(({ path, query }) => path === CONFIG_MAPS_PATH && isList(query)).length,
    async [Symbol.asyncDispose]() {
      await operator[Symbol.asyncDispose]();
      await sandbox.close();
    },
  };
  await until(isCaughtUp);
  sandbox.clearRequests();
  return rig;
}

/** The cluster of a sandbox, with its current token. */
export function currentCluster(sandbox: Pick<Sandbox, 'url' | 'token'>): () => Promise<Cluster> {
  const read = async () => ({ headers: { authorization: `Bearer ${sandbox.token}` } });
  return async () => createCluster({ name: 'sandbox', server: new URL(sandbox.url) }, [{ read, invalidate: () => {} }]);
}

export function configMap(name: string, value: string) {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' }, data: { value } };
}

function isList(query: string): boolean {
  return !query.includes('watch=') || query.includes('sendInitialEvents=true');
}

/** The ConfigMaps of a namespace as `name=value`, sorted. */
export async function statesIn(sandbox: Sandbox, namespace: string): Promise<readonly string[]> {
  const { body } = await sandbox.call('GET', `/api/v1/namespaces/${namespace}/configmaps`);
  const items = isJsonObject(body) && Array.isArray(body['items']) ? body['items'] : [];
  return items.filter(isJsonObject).map(stateOf).toSorted();
}

const BINDING = {
  name: 'maps',
  apiVersion: 'v1',
  kind: 'ConfigMap',
  namespace: { nameSelector: { matchNames: ['default'] } },
};

const SHELL_HOOK = recordingHook({ configVersion: 'v1', kubernetes: [{ ...BINDING, queue: 'shell' }] });

const WARM_HOOK = `
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { defineHook, kubernetes } from 'hooklet';

const folder = process.env.OUT + '/warm.ts';
mkdirSync(folder, { recursive: true });
let runs = 0;

export default defineHook({
  bindings: { maps: kubernetes({ apiVersion: 'v1', kind: 'ConfigMap', namespace: { nameSelector: { matchNames: ['default'] } }, queue: 'warm' }) },
  run({ contexts, patch }) {
    const record = Date.now() + '.' + String(runs++).padStart(6, '0');
    writeFileSync(folder + '/.' + record, JSON.stringify(contexts));
    renameSync(folder + '/.' + record, folder + '/' + record);
    for (const context of contexts) {
      for (const { metadata, data } of context.type === 'Synchronization' ? context.objects : [context.object]) {
        const copy = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: metadata.name, namespace: 'copies' }, data };
        if (context.watchEvent === 'Deleted') patch.delete(copy);
        else patch.createOrUpdate(copy);
      }
    }
  },
});
`;
