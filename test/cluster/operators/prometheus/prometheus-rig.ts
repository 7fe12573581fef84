import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { isJsonObject, type JsonObject } from '@hooklet/sandbox';
import { objectAt, textAt } from '@hooklet/sandbox/testing';
import { startKubelet, type Kubelet } from '@hooklet/test-kubelet';
import { KubeError } from '../../../../src/errors.ts';
import type { KubeClient } from '../../../../src/kube/client.ts';
import { createKubeClient } from '../../../../src/kube/kube-client.ts';
import { startOperator, type OperatorRig } from '../../../support/operator-rig.ts';
import { connectAs } from '../../operator-rig.ts';
import type { SharedControlPlane } from '../../shared-control-plane.ts';
import { prometheusImage, type PrometheusImage } from './prometheus-image.ts';

const example = fileURLToPath(new URL('../../../../examples/340-prometheus', import.meta.url));
const NEVER = new AbortController().signal;
export const API = 'monitoring.example.hooklet.dev/v1';
/** Of the image that the hook gives to its Pods. */
const IMAGE = 'prom/prometheus:v2.53.0';

/** A namespace with Pod Security `restricted`, whose Pods really run, and the operator beside it. */
export interface PrometheusRig extends AsyncDisposable {
  readonly namespace: string;
  readonly kubelet: Kubelet;
  readonly image: PrometheusImage;
  readonly operator: () => OperatorRig;
  /** Ends the operator at once, and starts another one. */
  readonly restartOperator: () => Promise<void>;
  readonly stopOperator: () => Promise<void>;
  readonly startOperator: () => void;
  readonly apply: (object: JsonObject) => Promise<void>;
  readonly get: (path: string) => Promise<JsonObject | undefined>;
  readonly remove: (path: string, propagation?: string) => Promise<void>;
  readonly list: (path: string) => Promise<readonly JsonObject[]>;
  /** The path of objects in the namespace. */
  readonly at: (group: string, plural: string, name?: string) => string;
  /** Asks the Prometheus of a Pod. */
  readonly ask: (pod: string, path: string) => Promise<unknown>;
}

/** Installs definitions and rights, and starts the operator with exactly these. */
export async function startPrometheusRig(plane: SharedControlPlane): Promise<PrometheusRig> {
  await using parts = new AsyncDisposableStack();
  const client = createKubeClient(await connectAs(plane, 'admin')(), { userAgent: 'hooklet-test' });
  parts.defer(async () => client.close());
  const namespace = `prometheus-${crypto.randomUUID().slice(0, 8)}`;
  const hands = handsOf(client, namespace);
  for (const object of objectsOf('crds.yaml', 'rbac.yaml').flatMap(forNobody)) await hands.apply(object);
  await hands.apply({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'expandable' },
    provisioner: 'test.example.com/disk',
    allowVolumeExpansion: true,
  });
  await hands.apply({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
  });
  parts.defer(async () => hands.remove(`/api/v1/namespaces/${namespace}`));
  for (const object of objectsOf('try/rbac.yaml')) {
    const subjects = [{ kind: 'ServiceAccount', name: 'prometheus-main', namespace }];
    await hands.apply(object['kind'] === 'RoleBinding' ? { ...object, subjects } : object);
  }
  const image = parts.use(prometheusImage());
  const kubelet = parts.use(
    await startKubelet({
      plane,
      connect: connectAs(plane, 'admin'),
      namespaces: [namespace],
      images: { [IMAGE]: image.image },
    }),
  );
  const start = (): OperatorRig =>
    startOperator({
      hooksDir: join(example, 'hooks'),
      connect: connectAs(plane, 'nobody'),
      env: { PATH: `${image.programs}${delimiter}${process.env['PATH']}` },
    });
  let operator = start();
  parts.defer(async () => operator[Symbol.asyncDispose]());
  const rest = parts.move();
  const stop = async (): Promise<void> => operator[Symbol.asyncDispose]();
  return {
    ...hands,
    namespace,
    kubelet,
    image,
    operator: () => operator,
    restartOperator: async () => {
      await stop();
      operator = start();
    },
    stopOperator: stop,
    startOperator: () => {
      operator = start();
    },
    ask: async (pod, path) => {
      const address = kubelet.addressOf({ namespace, name: pod });
      const answer = await fetch(`http://${address}:9090${path}`, { signal: AbortSignal.timeout(10_000) });
      const text = await answer.text();
      return path.startsWith('/api/') ? JSON.parse(text) : text;
    },
    [Symbol.asyncDispose]: async () => rest[Symbol.asyncDispose](),
  };
}

type Hands = Pick<PrometheusRig, 'apply' | 'get' | 'remove' | 'list' | 'at'>;

function handsOf(client: KubeClient, own: string): Hands {
  const at: Hands['at'] = (group, plural, name) => {
    const root = group === '' ? '/api/v1' : `/apis/${group}/v1`;
    return [root, 'namespaces', own, plural, ...(name === undefined ? [] : [name])].join('/');
  };
  const read = async (path: string): Promise<JsonObject | undefined> => {
    try {
      const found: unknown = await client.request({ method: 'GET', path }, NEVER);
      return isJsonObject(found) ? found : undefined;
    } catch (error) {
      if (error instanceof KubeError && error.status === 404) return undefined;
      throw error;
    }
  };
  return {
    at,
    get: read,
    list: async (path) => {
      const { items } = (await read(path)) ?? {};
      return Array.isArray(items) ? items.filter(isJsonObject) : [];
    },
    remove: async (path, propagationPolicy = 'Background') => {
      const body = JSON.stringify({ propagationPolicy });
      await client.request({ method: 'DELETE', path, body }, NEVER).catch(() => {});
    },
    apply: async (object) => {
      const [kind, name] = [textAt(object, 'kind'), textAt(object, 'metadata', 'name')];
      const { group, plural, isNamespaced } = placeOf(kind);
      const namespace = textAt(object, 'metadata', 'namespace') || own;
      const root = group === '' ? '/api/v1' : `/apis/${group}/v1`;
      const path = isNamespaced ? `${root}/namespaces/${namespace}/${plural}/${name}` : `${root}/${plural}/${name}`;
      const metadata = { ...objectAt(object, 'metadata'), ...(isNamespaced && { namespace }) };
      await client.request(
        {
          method: 'PATCH',
          path,
          query: { fieldManager: 'test', force: 'true' },
          body: JSON.stringify({ ...object, metadata }),
          contentType: 'application/apply-patch+yaml',
        },
        NEVER,
      );
    },
  };
}

const CLUSTER = ['Namespace', 'StorageClass', 'CustomResourceDefinition', 'ClusterRole', 'ClusterRoleBinding'];
const GROUPS: Readonly<Record<string, string>> = {
  CustomResourceDefinition: 'apiextensions.k8s.io',
  ClusterRole: 'rbac.authorization.k8s.io',
  ClusterRoleBinding: 'rbac.authorization.k8s.io',
  Role: 'rbac.authorization.k8s.io',
  RoleBinding: 'rbac.authorization.k8s.io',
  Prometheus: 'monitoring.example.hooklet.dev',
  ServiceMonitor: 'monitoring.example.hooklet.dev',
  PodMonitor: 'monitoring.example.hooklet.dev',
  PrometheusRule: 'monitoring.example.hooklet.dev',
  StatefulSet: 'apps',
  StorageClass: 'storage.k8s.io',
};

function placeOf(kind: string) {
  const plural = ['Prometheus', 'StorageClass'].includes(kind) ? `${kind.toLowerCase()}es` : `${kind.toLowerCase()}s`;
  return { group: GROUPS[kind] ?? '', plural, isNamespaced: !CLUSTER.includes(kind) };
}

function objectsOf(...files: readonly string[]): readonly JsonObject[] {
  return files
    .flatMap((file) => parseAllDocuments(readFileSync(join(example, 'manifests', file), 'utf8')))
    .map((document): unknown => document.toJS())
    .filter(isJsonObject);
}

/** The rights of the operator for the user of the test, in place of its account. */
function forNobody(object: JsonObject): readonly JsonObject[] {
  const kind = textAt(object, 'kind');
  if (['ServiceAccount', 'Role', 'RoleBinding'].includes(kind)) return [];
  if (kind !== 'ClusterRoleBinding') return [object];
  return [{ ...object, subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'nobody' }] }];
}
