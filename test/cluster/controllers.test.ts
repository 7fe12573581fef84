import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { isJsonObject, type JsonObject, type Sandbox } from '@hooklet/sandbox';
import { objectAt, objectsAt, sandboxForTest, textAt } from '@hooklet/sandbox/testing';
import { controlPlaneAssets } from './assets.ts';
import { ServerProcess } from './server-process.ts';

/** A sandbox with its own controllers off, and a real kube-controller-manager that runs only the named ones. */
async function controlledBy(...controllers: readonly string[]): Promise<Sandbox> {
  const sandbox = await sandboxForTest({ anonymous: true, leaves: ['garbageCollection', 'namespaces'] });
  const folder = await mkdtemp(join(tmpdir(), 'hooklet-controllers-'));
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, sandbox.kubeconfig());
  const { kubeControllerManager } = await controlPlaneAssets(process.env);
  const manager = new ServerProcess(kubeControllerManager, flags(kubeconfig, controllers), { logFolder: folder });
  onTestFinished(async () => {
    await manager.kill();
    await rm(folder, { recursive: true, force: true });
  });
  await manager.start();
  return sandbox;
}

function flags(kubeconfig: string, controllers: readonly string[]): readonly string[] {
  return [
    `--kubeconfig=${kubeconfig}`,
    '--leader-elect=false',
    '--use-service-account-credentials=false',
    '--secure-port=0',
    '--min-resync-period=1h',
    `--controllers=${controllers.map((name) => `${name}-controller`).join(',')}`,
  ];
}

async function body(sandbox: Sandbox, path: string): Promise<JsonObject> {
  const answer = await sandbox.call('GET', path);
  return isJsonObject(answer.body) ? answer.body : {};
}

async function create(sandbox: Sandbox, path: string, object: JsonObject): Promise<JsonObject> {
  const answer = await sandbox.call('POST', path, object);
  expect(answer).toMatchObject({ code: 201 });
  return isJsonObject(answer.body) ? answer.body : {};
}

async function eventually<Value>(ask: () => Promise<Value>, passes: (value: Value) => boolean): Promise<Value> {
  const { value } = await vi.waitUntil(
    async () => {
      const found = { value: await ask() };
      return passes(found.value) ? found : false;
    },
    { timeout: 100_000, interval: 100 },
  );
  return value;
}

const pods = '/api/v1/namespaces/default/pods';
const apps = '/apis/apps/v1/namespaces/default';

async function owned(sandbox: Sandbox, path: string, count: number): Promise<readonly JsonObject[]> {
  const list = await eventually(
    () => body(sandbox, path),
    (found) => objectsAt(found, 'items').length === count,
  );
  return objectsAt(list, 'items');
}

function template(app: string): JsonObject {
  return { metadata: { labels: { app } }, spec: { containers: [{ name: 'main', image: 'nginx' }] } };
}

function workload(kind: string, app: string): JsonObject {
  const spec = { replicas: 2, selector: { matchLabels: { app } }, template: template(app) };
  return { apiVersion: 'apps/v1', kind, metadata: { name: app }, spec };
}

async function setStatus(sandbox: Sandbox, path: string, status: JsonObject): Promise<void> {
  const type = 'application/merge-patch+json';
  expect(await sandbox.call('PATCH', `${path}/status`, { status }, type)).toMatchObject({ code: 200 });
}

describe('the controllers of a real control plane work on the sandbox:', { timeout: 300_000 }, () => {
  it('a namespace goes with all that is in it', async () => {
    const sandbox = await controlledBy('namespace');
    await create(sandbox, '/api/v1/namespaces', { metadata: { name: 'gone' } });
    await create(sandbox, '/api/v1/namespaces/gone/configmaps', { metadata: { name: 'a' }, data: { x: '1' } });

    await sandbox.call('DELETE', '/api/v1/namespaces/gone');

    await eventually(
      () => sandbox.call('GET', '/api/v1/namespaces/gone'),
      ({ code }) => code === 404,
    );
    expect(await sandbox.call('GET', '/api/v1/namespaces/gone/configmaps/a')).toMatchObject({ code: 404 });
  });

  it('what has lost its owner is collected', async () => {
    const sandbox = await controlledBy('garbage-collector');
    const maps = '/api/v1/namespaces/default/configmaps';
    const owner = await create(sandbox, maps, { metadata: { name: 'owner' } });
    const uid = textAt(owner, 'metadata', 'uid');
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid, blockOwnerDeletion: true }];
    await create(sandbox, maps, { metadata: { name: 'owned', ownerReferences } });

    await sandbox.call('DELETE', `${maps}/owner?propagationPolicy=Foreground`);

    await owned(sandbox, maps, 0);
  });

  it('a Job runs its Pod and is complete when that has succeeded', async () => {
    const sandbox = await controlledBy('job');
    const jobs = '/apis/batch/v1/namespaces/default/jobs';
    const spec = { ...template('once'), spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'x' }] } };
    await create(sandbox, jobs, { metadata: { name: 'once' }, spec: { template: spec } });
    const [pod = {}] = await owned(sandbox, pods, 1);

    await setStatus(sandbox, `${pods}/${textAt(pod, 'metadata', 'name')}`, { phase: 'Succeeded' });

    const job = await eventually(
      () => body(sandbox, `${jobs}/once`),
      (found) => textAt(found, 'status', 'completionTime') !== '',
    );
    expect(job).toMatchObject({ status: { succeeded: 1 } });
  });

  it('a ReplicaSet makes as many Pods as it should have', async () => {
    const sandbox = await controlledBy('replicaset');
    await create(sandbox, `${apps}/replicasets`, workload('ReplicaSet', 'some'));
    const [pod = {}] = await owned(sandbox, pods, 2);

    await sandbox.call('DELETE', `${pods}/${textAt(pod, 'metadata', 'name')}?gracePeriodSeconds=0`);

    const left = await owned(sandbox, pods, 2);
    expect(left.map((one) => one['metadata'])).not.toContainEqual(pod['metadata']);
  });

  it('a Deployment replaces its Pods when their template changes', async () => {
    const sandbox = await controlledBy('deployment', 'replicaset', 'garbage-collector');
    await create(sandbox, `${apps}/deployments`, workload('Deployment', 'web'));
    for (const pod of await owned(sandbox, pods, 2)) await makeReady(sandbox, pod);

    const patch = { spec: { template: { metadata: { annotations: { restarted: 'now' } } } } };
    await sandbox.call('PATCH', `${apps}/deployments/web`, patch, 'application/merge-patch+json');

    await owned(sandbox, `${apps}/replicasets`, 2);
    const deployment = await eventually(
      async () => {
        for (const pod of objectsAt(await body(sandbox, pods), 'items')) await makeReady(sandbox, pod);
        return body(sandbox, `${apps}/deployments/web`);
      },
      (found) => isObserved(found) && JSON.stringify(found['status']).includes('NewReplicaSetAvailable'),
    );
    expect(deployment).toMatchObject({ status: { replicas: 2, updatedReplicas: 2, readyReplicas: 2 } });
  });

  it('a StatefulSet makes its Pods one after the other', async () => {
    const sandbox = await controlledBy('statefulset');
    await create(sandbox, `${apps}/statefulsets`, workload('StatefulSet', 'set'));
    const [first = {}] = await owned(sandbox, pods, 1);

    await makeReady(sandbox, first);

    const names = (await owned(sandbox, pods, 2)).map((pod) => textAt(pod, 'metadata', 'name'));
    expect(names).toEqual(['set-0', 'set-1']);
  });
});

/** Whether the status is about the current spec, not an earlier one. */
function isObserved(object: JsonObject): boolean {
  return objectAt(object, 'status')['observedGeneration'] === objectAt(object, 'metadata')['generation'];
}

/** Does the part of a kubelet. */
async function makeReady(sandbox: Sandbox, pod: JsonObject): Promise<void> {
  const lastTransitionTime = '2025-01-01T00:00:00Z';
  const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime }];
  const path = `${pods}/${textAt(pod, 'metadata', 'name')}/status`;
  await sandbox.call('PATCH', path, { status: { phase: 'Running', conditions } }, 'application/merge-patch+json');
}
