import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { KubeClient } from '../../src/kube/client.ts';
import type { Cluster } from '../../src/kube/credentials/cluster.ts';
import { createKubeClient } from '../../src/kube/kube-client.ts';
import { loadCluster } from '../../src/kube/credentials/load-cluster.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { until as untilSoon, type SeenContext } from '../support/operator-rig.ts';
import type { User } from './control-plane.ts';
import type { SharedControlPlane } from './shared-control-plane.ts';

const never = new AbortController().signal;

/** Connects a user to the control plane through a kubeconfig, as any user would. */
export function connectAs(plane: SharedControlPlane, user: User): () => Promise<Cluster> {
  return async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'kubeconfig');
    writeFileSync(path, plane.kubeconfig(user));
    return await loadCluster({ env: {}, kubeConfigPath: path });
  };
}

/** What a test does directly to the cluster, as `admin`, in a namespace of its own. */
export interface Hands {
  readonly namespace: string;
  readonly client: KubeClient;
  readonly call: (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, object?: object) => Promise<unknown>;
  /** Merge-patches an object. */
  readonly patch: (path: string, change: object) => Promise<unknown>;
  /** Creates a ConfigMap in the namespace. */
  readonly configMap: (name: string, data?: Readonly<Record<string, string>>) => Promise<unknown>;
  /** The path of the ConfigMaps of the namespace, or of one of them. */
  readonly maps: (name?: string) => string;
}

/** Access for the current test; its namespace is removed with it. */
export async function handsOn(plane: SharedControlPlane): Promise<Hands> {
  const client = createKubeClient(await connectAs(plane, 'admin')(), { userAgent: 'hooklet-test' });
  const namespace = `operator-${crypto.randomUUID()}`;
  const call: Hands['call'] = async (method, path, object) =>
    client.request({ method, path, ...(object !== undefined && { body: JSON.stringify(object) }) }, never);
  const maps = (name?: string): string =>
    `/api/v1/namespaces/${namespace}/configmaps${name === undefined ? '' : `/${name}`}`;
  await call('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  onTestFinished(async () => {
    await call('DELETE', `/api/v1/namespaces/${namespace}`);
    await client.close();
  });
  return {
    namespace,
    client,
    call,
    maps,
    patch: async (path, change) =>
      client.request(
        { method: 'PATCH', path, body: JSON.stringify(change), contentType: 'application/merge-patch+json' },
        never,
      ),
    configMap: async (name, data = {}) =>
      call('POST', maps(), { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data }),
  };
}

/** Does something while the API server is down; it is up again on return. */
export async function withoutApiserver(plane: SharedControlPlane, action: () => Promise<void>): Promise<void> {
  await plane.killApiserver();
  try {
    await action();
  } finally {
    await plane.startApiserver();
  }
}

/**
 * Waits until `check` does not throw; the limit allows for a control plane that is slow because the processor is
 * busy.
 */
export async function until(check: () => void | Promise<void>, timeoutMs = 90_000): Promise<void> {
  await untilSoon(check, timeoutMs);
}

/** A binding to the ConfigMaps of a namespace, except the one that exists in every namespace. */
export function bindMaps(namespace: string, fields: object = {}) {
  return {
    name: 'maps',
    apiVersion: 'v1',
    kind: 'ConfigMap',
    namespace: { nameSelector: { matchNames: [namespace] } },
    fieldSelector: { matchExpressions: [{ field: 'metadata.name', operator: 'NotEquals', value: 'kube-root-ca.crt' }] },
    ...fields,
  };
}

/** Summarizes contexts: `Synchronization a b`, `Added c`, `nightly`. */
export function summary(context: SeenContext): string {
  const objects = Array.isArray(context['objects']) ? context['objects'] : [];
  const what = context['watchEvent'] ?? context['type'] ?? context['binding'];
  const names = objects.length > 0 ? objects.map(nameOf) : [nameOf(context)];
  return [String(what), ...names].filter((word) => word !== '').join(' ');
}

function nameOf(item: { readonly [field: string]: unknown }): string {
  const { object } = item;
  if (typeof object !== 'object' || object === null || !('metadata' in object)) return '';
  const { metadata } = object;
  return typeof metadata === 'object' && metadata !== null && 'name' in metadata ? String(metadata.name) : '';
}
