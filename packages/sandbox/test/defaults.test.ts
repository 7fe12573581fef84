import { describe, expect, it } from 'vitest';
import { withDefaults } from '../src/defaults.ts';
import { at } from '../src/json-fields.ts';
import type { JsonObject } from '../src/json.ts';
import { Kinds } from '../src/kinds.ts';

function filled(collection: string, object: JsonObject, before?: JsonObject): JsonObject {
  const kind = new Kinds().ofCollection(collection);
  if (kind === undefined) throw new Error(`no ${collection}`);
  return withDefaults(kind, { kind: kind.kind, metadata: { name: 'x' }, ...object }, before);
}

describe('what the server fills in', () => {
  it('a namespace is active, labeled with its name, and held until it is empty', () => {
    expect(filled('namespaces', {})).toMatchObject({
      metadata: { labels: { 'kubernetes.io/metadata.name': 'x' } },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    });
  });

  it('the plain strings of a Secret become its data', () => {
    const secret = filled('secrets', { stringData: { a: 'b' }, data: { a: 'old', c: 'ZA==' } });

    expect(secret).toMatchObject({ data: { a: 'Yg==', c: 'ZA==' }, type: 'Opaque' });
    expect(secret).not.toHaveProperty('stringData');
  });

  it('a Service gets an address, which it keeps', () => {
    const service = filled('services', { spec: { ports: [{ port: 80 }] } });

    expect(service).toMatchObject({
      spec: {
        type: 'ClusterIP',
        clusterIP: expect.stringMatching(/^10\./),
        ports: [{ protocol: 'TCP', targetPort: 80 }],
      },
      status: { loadBalancer: {} },
    });
    expect(at(filled('services', { spec: { ports: [{ port: 81 }] } }, service), 'spec', 'clusterIP')).toBe(
      at(service, 'spec', 'clusterIP'),
    );
  });

  it('a Service of the same name has the same address in each sandbox, and another name another one', () => {
    const [one, again, other] = ['x', 'x', 'y'].map((name) =>
      at(filled('services', { metadata: { name, namespace: 'default' } }), 'spec', 'clusterIP'),
    );

    expect(again).toBe(one);
    expect(other).not.toBe(one);
  });

  it('a Service of another cluster has no address', () => {
    expect(filled('services', { spec: { type: 'ExternalName', externalName: 'a.b' } })['spec']).not.toHaveProperty(
      'clusterIP',
    );
  });

  it.each([
    ['persistentvolumeclaims', { status: { phase: 'Pending' }, spec: { volumeMode: 'Filesystem' } }],
    ['events', { source: {}, firstTimestamp: null, reportingComponent: '' }],
    ['storageclasses.storage.k8s.io', { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' }],
    ['horizontalpodautoscalers.autoscaling', { spec: { minReplicas: 1 } }],
    ['networkpolicies.networking.k8s.io', { spec: { policyTypes: ['Ingress'] } }],
    ['ingresses.networking.k8s.io', { status: { loadBalancer: {} } }],
  ])('%s', (collection, expected) => {
    expect(filled(collection, {})).toMatchObject(expected);
  });

  it('subjects of a binding are of the RBAC group, accounts of none', () => {
    const subjects = [
      { kind: 'User', name: 'u' },
      { kind: 'ServiceAccount', name: 's' },
    ];

    expect(filled('rolebindings.rbac.authorization.k8s.io', { subjects })['subjects']).toEqual([
      { kind: 'User', name: 'u', apiGroup: 'rbac.authorization.k8s.io' },
      { kind: 'ServiceAccount', name: 's' },
    ]);
  });

  it('a ConfigMap is left as it is', () => {
    const map = { kind: 'ConfigMap', metadata: { name: 'x' }, data: { a: 'b' } };

    expect(filled('configmaps', map)).toEqual(map);
  });
});
