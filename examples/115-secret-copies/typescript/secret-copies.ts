// Copies each Secret with the label example.hooklet.dev/copy into all namespaces that are labeled for it.
import { reconcile, type KubernetesObject } from 'hooklet';

interface Secret extends KubernetesObject {
  readonly type: string;
  readonly data?: Readonly<Record<string, string>>;
}

export default reconcile<Secret, { namespaces: string }>(
  {
    name: 'secret-copies',
    apiVersion: 'v1',
    kind: 'Secret',
    namespace: { nameSelector: { matchNames: [process.env['POD_NAMESPACE'] ?? 'default'] } },
    labelSelector: { matchLabels: { 'example.hooklet.dev/copy': 'true' } },
    owns: [{ apiVersion: 'v1', kind: 'Secret', otherNamespaces: true }],
    watches: [
      {
        name: 'namespaces',
        apiVersion: 'v1',
        kind: 'Namespace',
        labelSelector: { matchLabels: { 'example.hooklet.dev/secrets': 'true' } },
        fieldSelector: { matchExpressions: [{ field: 'status.phase', operator: 'Equals', value: 'Active' }] },
        // A namespace matters to every Secret.
        for: '"*"',
        jqFilter: '.metadata.name',
      },
    ],
  },
  ({ object: { metadata, type, data }, watched }) => {
    const others = watched.namespaces.filter((namespace) => namespace !== metadata.namespace);
    return {
      children: others.map((namespace) => ({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { namespace, name: metadata.name },
        type,
        data,
      })),
    };
  },
);
