/* Puts what is given into the cluster of a world, before its operator starts. */

import type { JsonObject } from '@hooklet/sandbox';
import { ScenarioError } from '../../errors.ts';
import { objectPath, type WorldCluster } from './world-cluster.ts';

const APPLY = 'application/apply-patch+yaml';

/** Applies objects, definitions first, with the namespaces that are missing; the status of an object is applied too. */
export async function fillCluster(cluster: WorldCluster, objects: readonly JsonObject[]): Promise<void> {
  const isDefinition = (object: JsonObject): boolean => object['kind'] === 'CustomResourceDefinition';
  const definitions = objects.filter(isDefinition);
  for (const object of [...definitions, ...objects.filter((one) => !isDefinition(one))]) {
    await give(cluster, object);
    // What a controller does after a write is done before the next.
    await Promise.resolve();
  }
}

async function give(cluster: WorldCluster, object: JsonObject): Promise<void> {
  const path = objectPath(cluster, object);
  const namespace = /\/namespaces\/([^/]+)\//.exec(path)?.[1];
  if (namespace !== undefined) await needNamespace(cluster, namespace);
  const parts = object['status'] === undefined ? [''] : ['', '/status'];
  for (const part of parts) {
    const query = 'fieldManager=scenario&force=true';
    const request = { method: 'PATCH', path: `${path}${part}?${query}`, body: object, contentType: APPLY };
    const { code, body } = await cluster.ask(request);
    const isWithout = part !== '' && code === 404;
    if (code >= 300 && !isWithout) throw new ScenarioError(`given object ${path} is refused: ${messageIn(body)}`);
  }
}

async function needNamespace(cluster: WorldCluster, name: string): Promise<void> {
  const path = `/api/v1/namespaces/${name}`;
  if ((await cluster.ask({ method: 'GET', path })).code !== 404) return;
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  await cluster.ask({ method: 'POST', path: '/api/v1/namespaces', body });
}

function messageIn(body: unknown): string {
  return typeof body === 'object' && body !== null && 'message' in body ? String(body.message) : JSON.stringify(body);
}
