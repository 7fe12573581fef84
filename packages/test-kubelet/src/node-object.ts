import { availableParallelism, totalmem } from 'node:os';
import { sleep } from '../../../src/lib/sleep.ts';
import type { Api } from './api.ts';
import type { KubeNode } from './node.ts';

const HEARTBEAT_MS = 10_000;
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';

/**
 * Creates the Node, with the port of its logs if it has one, and its Lease; the returned function renews the Lease until
 * its signal aborts.
 */
export async function registerNode(
  api: Api,
  node: KubeNode,
  logPort?: number,
): Promise<(signal: AbortSignal) => Promise<void>> {
  const { name } = node;
  const status = nodeStatus(node, logPort);
  // A Node of a killed run may still exist.
  await unregisterNode(api, name);
  await api.create('/api/v1/nodes', {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux' } },
  });
  await api.patch(`/api/v1/nodes/${name}/status`, { status });
  const lease = (): object => ({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, namespace: 'kube-node-lease' },
    spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime: new Date().toISOString().replace('Z', '000Z') },
  });
  await api.create(LEASES, lease());
  return async (signal) => {
    while (!signal.aborted) {
      await sleep(HEARTBEAT_MS, signal);
      // While the API server is unavailable, no controller can miss a renewal.
      if (!signal.aborted) await api.patch(`${LEASES}/${name}`, lease()).catch(() => {});
    }
  };
}

/** Deletes the Node and its Lease. */
export async function unregisterNode(api: Api, name: string): Promise<void> {
  await api.remove(`${LEASES}/${name}`);
  await api.remove(`/api/v1/nodes/${name}`);
}

function nodeStatus({ name, gateway }: KubeNode, logPort: number | undefined): object {
  const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  const resources = { cpu: String(availableParallelism()), memory: `${Math.floor(totalmem() / 1024)}Ki`, pods: '250' };
  return {
    capacity: resources,
    allocatable: resources,
    addresses: [
      { type: 'InternalIP', address: gateway },
      // The API server asks for logs at this one, and could not resolve a name.
      { type: 'Hostname', address: logPort === undefined ? name : gateway },
    ],
    ...(logPort !== undefined && { daemonEndpoints: { kubeletEndpoint: { Port: logPort } } }),
    conditions: [
      {
        type: 'Ready',
        status: 'True',
        reason: 'KubeletReady',
        message: 'kubelet is posting ready status',
        lastHeartbeatTime: now,
        lastTransitionTime: now,
      },
    ],
  };
}
