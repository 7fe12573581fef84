import type { Target } from './api-request.ts';
import type { Cluster } from './cluster.ts';
import { textAt } from './json-fields.ts';
import { timestamp } from './object-meta.ts';
import { forbidden, StatusError } from './status-error.ts';

/** The namespaces that exist from the start. */
export const INITIAL_NAMESPACES: readonly string[] = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

/** The namespaces that must not be deleted. */
export const IMMORTAL_NAMESPACES: readonly string[] = ['default', 'kube-public', 'kube-system'];

/** Throws if an object cannot be created because its namespace is missing or terminating. */
export function requireOpenNamespace({ storage }: Cluster, { kind, namespace }: Target, name: string): void {
  if (!kind.namespaced) return;
  const stored = storage.get('namespaces', '', namespace);
  if (stored === undefined) {
    const message = `namespaces "${namespace}" not found`;
    const details = { name: namespace, kind: 'namespaces' };
    throw new StatusError({ code: 404, reason: 'NotFound', message, details });
  }
  if (textAt(stored.object, 'status', 'phase') !== 'Terminating') return;
  const explanation = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const message = `namespace ${namespace} is being terminated`;
  throw forbidden(kind, name, explanation, [{ field: 'metadata.namespace', reason: 'NamespaceTerminating', message }]);
}

/** Creates the namespaces that exist from the start. */
export function createInitialNamespaces({ storage, now, ids }: Cluster): void {
  for (const name of INITIAL_NAMESPACES) {
    storage.put('namespaces', {
      kind: 'Namespace',
      apiVersion: 'v1',
      metadata: {
        name,
        uid: ids.uid(`/namespaces /${name}`),
        resourceVersion: '',
        creationTimestamp: timestamp(now()),
        labels: { 'kubernetes.io/metadata.name': name },
      },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    });
  }
}
