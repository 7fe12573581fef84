import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { isJsonObject } from '@hooklet/sandbox';
import { type Client, connect } from '@hooklet/sandbox/conformance';
import { startGateway, type Gateway } from '../../bench/soak/gateway.ts';
import { startSoakRelay, type Relay } from '../../bench/soak/relay.ts';
import { loadCluster } from '../../src/kube/credentials/load-cluster.ts';
import { clusterConfig } from '../cluster/cluster-config.ts';
import type { SharedControlPlane } from '../cluster/shared-control-plane.ts';
import { disordersOf, lastStates, sightingsOf, stateOf, withoutRepeated } from './fault-ledger.ts';
import { temporaryFolder } from './hook-rig.ts';
import { recordingHook, startOperator, until, type OperatorRig } from './operator-rig.ts';
import { within } from './within.ts';

/**
 * An operator that reaches a real API server through a gateway with faults, with a hook on the ConfigMaps of a
 * namespace.
 */
export interface ClusterFaultRig extends AsyncDisposable {
  readonly relay: Relay;
  readonly operator: OperatorRig;
  readonly api: Client;
  readonly namespace: string;
  /** The files of the operator's token and of the certificate that it trusts. */
  readonly tokenFile: string;
  readonly caFile: string;
  put(name: string, value: string): Promise<void>;
  remove(name: string): Promise<void>;
  /** Waits until the hook has seen the current state of everything, in order. */
  caughtUp(): Promise<void>;
  /** Fails unless that holds within the wall time that a promise allows. */
  caughtUpWithin(limitMs: number): Promise<void>;
  /** How often the watch was reopened or the list repeated, by reason. */
  restarts(): Promise<Readonly<Record<string, number>>>;
  /** Replaces the gateway by one with another certificate. */
  replaceGateway(): Promise<void>;
}

export interface ClusterFaultOptions {
  readonly plane: SharedControlPlane;
  readonly namespace: string;
  readonly token?: string;
  /** Called before the operator starts. */
  readonly before?: (relay: Relay) => void;
}

export async function startClusterFaultRig(options: ClusterFaultOptions): Promise<ClusterFaultRig> {
  const { plane, namespace, token = plane.tokenOf('admin'), before } = options;
  await using ends = new AsyncDisposableStack();
  const folder = ends.use(temporaryFolder());
  const api = connect({ url: plane.url, ca: plane.ca, token: plane.tokenOf('admin') });
  await api.post('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  let gateway = await startGateway(plane);
  ends.defer(async () => gateway.close());
  const relay = await startSoakRelay(gateway.port);
  ends.defer(async () => relay.close());
  const files = writeFiles(folder.path, { url: `https://127.0.0.1:${relay.port}`, gateway, token });
  before?.(relay);
  const operator = ends.use(startWith(files.kubeconfig, namespace));
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const isCaughtUp = async (): Promise<void> => expectAllSeen(operator, api, path);
  const opened = ends.move();
  return {
    ...files,
    relay,
    operator,
    api,
    namespace,
    async put(name, value) {
      const answer = await api.patch(`${path}/${name}`, 'merge', { data: { value } });
      if (answer.status === 404) await api.post(path, configMapOf(name, value));
    },
    remove: async (name) => void (await api.delete(`${path}/${name}`)),
    caughtUp: async () => until(isCaughtUp),
    caughtUpWithin: async (limitMs) => within(limitMs, isCaughtUp),
    restarts: async () => restartsOf(operator),
    async replaceGateway() {
      await gateway.close();
      gateway = await startGateway(plane, gateway.port);
      writeFileSync(files.caFile, gateway.ca);
    },
    [Symbol.asyncDispose]: async () => opened.disposeAsync(),
  };
}

interface FilesOptions {
  readonly url: string;
  readonly gateway: Gateway;
  readonly token: string;
}

function writeFiles(folder: string, { url, gateway, token }: FilesOptions) {
  const [tokenFile, caFile, kubeconfig] = ['token', 'ca.crt', 'kubeconfig'].map((name) => join(folder, name));
  if (tokenFile === undefined || caFile === undefined || kubeconfig === undefined) throw new Error('no files');
  writeFileSync(tokenFile, token);
  writeFileSync(caFile, gateway.ca);
  const config: unknown = JSON.parse(clusterConfig({ url, ca: '', user: 'operator', token: '' }));
  if (!isJsonObject(config)) throw new Error('no kubeconfig');
  const cluster = { server: url, 'certificate-authority': caFile };
  const clusters = [{ name: 'test', cluster }];
  const users = [{ name: 'operator', user: { tokenFile } }];
  writeFileSync(kubeconfig, JSON.stringify({ ...config, clusters, users }));
  return { tokenFile, caFile, kubeconfig };
}

function startWith(kubeConfigPath: string, namespace: string): OperatorRig {
  const namespaceOf = { nameSelector: { matchNames: [namespace] } };
  const binding = { name: 'maps', apiVersion: 'v1', kind: 'ConfigMap', queue: 'maps', namespace: namespaceOf };
  return startOperator({
    connect: async () => loadCluster({ kubeConfigPath, env: {} }),
    hooks: { 'hook.sh': recordingHook({ configVersion: 'v1', kubernetes: [binding] }) },
  });
}

async function expectAllSeen(operator: OperatorRig, api: Client, path: string): Promise<void> {
  // The control plane creates a ConfigMap of its own in every namespace at some point.
  const { items } = (await api.get(path)).body;
  const objects = (Array.isArray(items) ? items : []).filter(isJsonObject).map(stateOf).toSorted();
  const sightings = sightingsOf(withoutRepeated(operator.runs('hook.sh')).flat());
  expect(lastStates(sightings)).toEqual(objects);
  expect(disordersOf(sightings)).toEqual([]);
}

async function restartsOf(operator: OperatorRig): Promise<Readonly<Record<string, number>>> {
  const text = await (await fetch(`${operator.url()}/metrics`)).text();
  const lines = text.matchAll(/kube_reflector_restarts_total\{kind="ConfigMap".*reason="([^"]+)".*\} (\d+)/g);
  return Object.fromEntries(Array.from(lines, ([, reason = '', count]) => [reason, Number(count)]));
}

function configMapOf(name: string, value: string) {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { value } };
}
