import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isJsonObject, type JsonObject } from '@hooklet/sandbox';
import { objectAt, textAt } from '@hooklet/sandbox/testing';
import type { Kubelet } from '@hooklet/test-kubelet';
import { installs, type Installed } from '../../../operators/kit/installs.ts';
import { operatorPod, type OperatorPod } from '../../../operators/kit/operator-pod.ts';
import { readManifests } from '../../../support/example-rig.ts';
import type { KubeClient } from '../../../../src/kube/client.ts';
import { createKubeClient } from '../../../../src/kube/kube-client.ts';
import { connectAs } from '../../operator-rig.ts';
import type { SharedControlPlane } from '../../shared-control-plane.ts';
import { prometheusImages } from './prometheus-image.ts';

const manifests = fileURLToPath(new URL('../../../../examples/340-prometheus/manifests', import.meta.url));
export const API = 'monitoring.example.hooklet.dev/v1';
export const OPERATOR = { namespace: 'example-prometheus', name: 'prometheus' };
const NEVER = new AbortController().signal;

/** The operator, installed by one apply, and a namespace beside it; Pod Security enforces `restricted` in both. */
export interface PrometheusRig extends OperatorPod, Omit<Installed, 'get' | 'apply'> {
  readonly namespace: string;
  /** In the namespace beside it. */
  readonly apply: (...objects: readonly JsonObject[]) => Promise<void>;
  readonly get: (what: string, name: string) => Promise<JsonObject | undefined>;
  readonly list: (what: string) => Promise<readonly JsonObject[]>;
  readonly remove: (what: string, name: string) => Promise<void>;
  /** Asks a Pod. */
  readonly ask: (pod: string, path: string, port?: number) => Promise<unknown>;
}

/** Installs the operator and makes the namespace; the operator is ready on return. */
export async function startPrometheusRig(plane: SharedControlPlane): Promise<PrometheusRig> {
  await using parts = new AsyncDisposableStack();
  const namespace = `prometheus-${crypto.randomUUID().slice(0, 8)}`;
  const { images } = parts.use(await prometheusImages());
  const installed = parts.use(
    await installs({
      plane,
      manifests,
      ...OPERATOR,
      namespaces: [namespace],
      images,
      leftovers: ['validatingwebhookconfiguration/example-prometheus-hooks', 'storageclass/expandable'],
    }),
  );
  const client = createKubeClient(await connectAs(plane, 'admin')(), { userAgent: 'hooklet-test' });
  parts.defer(async () => client.close());
  const own = { namespace, ...handsOf(installed.kubelet, client, namespace), ...operatorPod(installed, OPERATOR) };
  await installed.apply(...surroundings(namespace));
  parts.defer(async () => {
    await own.startOperator();
    // Nothing has a finalizer after that.
    await installed.kubectl('--namespace', namespace, 'delete', 'prometheuses', '--all', '--timeout=120s');
    await installed.kubectl('delete', 'namespace', namespace, '--wait=false');
  });
  await own.apply(...readManifests(join(manifests, 'try/rbac.yaml')).map((one) => inside(one, namespace)));
  await own.startOperator();
  const rest = parts.move();
  return { ...installed, ...own, [Symbol.asyncDispose]: async () => rest.disposeAsync() };
}

/** A namespace, and a class of storage whose volumes grow. */
function surroundings(namespace: string): readonly object[] {
  return [
    {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
    },
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'expandable' },
      provisioner: 'test.example.com/disk',
      allowVolumeExpansion: true,
    },
  ];
}

/** kubectl fills in no namespace of a subject. */
function inside(object: JsonObject, namespace: string): JsonObject {
  if (object['kind'] !== 'RoleBinding') return object;
  return { ...object, subjects: [{ kind: 'ServiceAccount', name: 'prometheus-main', namespace }] };
}

/** Of the kinds that are not in the core group. */
const GROUPS: Readonly<Record<string, string>> = {
  prometheuses: API,
  servicemonitors: API,
  podmonitors: API,
  prometheusrules: API,
  statefulsets: 'apps/v1',
  roles: 'rbac.authorization.k8s.io/v1',
  rolebindings: 'rbac.authorization.k8s.io/v1',
};

function handsOf(kubelet: Kubelet, client: KubeClient, namespace: string) {
  const folder = (plural: string): string => {
    const group = GROUPS[plural];
    return `/${group === undefined ? 'api/v1' : `apis/${group}`}/namespaces/${namespace}/${plural}`;
  };
  const list: PrometheusRig['list'] = async (plural) => {
    const found: unknown = await client.request({ method: 'GET', path: folder(plural) }, NEVER);
    const items = isJsonObject(found) ? found['items'] : [];
    return Array.isArray(items) ? items.filter(isJsonObject) : [];
  };
  const own: Pick<PrometheusRig, 'apply' | 'get' | 'list' | 'remove' | 'ask'> = {
    list,
    get: async (plural, name) => (await list(plural)).find((one) => textAt(one, 'metadata', 'name') === name),
    apply: async (...objects) => {
      for (const object of objects) {
        const plural = textAt(object, 'kind')
          .toLowerCase()
          .replace(/s?$/, (end) => `${end === '' ? '' : 'se'}s`);
        const body = JSON.stringify({ ...object, metadata: { ...objectAt(object, 'metadata'), namespace } });
        const path = `${folder(plural)}/${textAt(object, 'metadata', 'name')}`;
        const query = { fieldManager: 'test', force: 'true' };
        await client.request(
          { method: 'PATCH', path, query, body, contentType: 'application/apply-patch+yaml' },
          NEVER,
        );
      }
    },
    remove: async (plural, name) => {
      const body = JSON.stringify({ propagationPolicy: 'Background' });
      // It may be gone.
      await client.request({ method: 'DELETE', path: `${folder(plural)}/${name}`, body }, NEVER).catch(() => {});
    },
    ask: async (pod, path, port = 9090) => {
      const address = kubelet.addressOf({ namespace, name: pod });
      const answer = await fetch(`http://${address}:${port}${path}`, { signal: AbortSignal.timeout(10_000) });
      const text = await answer.text();
      return path === '/metrics' ? text : JSON.parse(text);
    },
  };
  return own;
}
