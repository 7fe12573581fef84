import type { BenchStage } from './stage.ts';

/** The namespace of the pods. */
export const PODS_PATH = '/api/v1/namespaces/bench-pods/pods';

const AT_ONCE = 16;

/**
 * Ensures that the first `count` pods exist: `full` ones have 8.9 KB each as the server sends them, like the pod of a
 * Deployment; `small` ones have only what the server requires, for very large numbers.
 */
export async function fillPods({ api }: Pick<BenchStage, 'api'>, count: number, size: 'full' | 'small'): Promise<void> {
  await api.call('POST', '/api/v1/namespaces', { metadata: { name: 'bench-pods' } });
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) {
      const name = podName(next++);
      const { status, body } = await api.call('POST', PODS_PATH, size === 'full' ? fullPod(name) : smallPod(name));
      if (status !== 201 && status !== 409) throw new Error(`pod ${name} is refused: ${JSON.stringify(body)}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

let changes = 0;

/** Changes an annotation of one pod, or its image, which the filters of the benchmarks select. */
export async function changePod(
  { api }: Pick<BenchStage, 'api'>,
  index: number,
  what: 'annotation' | 'image' = 'annotation',
): Promise<void> {
  const value = String(changes++);
  const patch = {
    annotation: { metadata: { annotations: { 'example.com/change': value } } },
    image: { spec: { containers: [{ name: 'web', image: `registry.example.com/shop/web:1.28.${value}` }] } },
  }[what];
  const path = `${PODS_PATH}/${podName(index)}`;
  const { status, body } = await api.call('PATCH', path, patch, 'application/strategic-merge-patch+json');
  if (status !== 200) throw new Error(`the change of ${path} is refused: ${JSON.stringify(body)}`);
}

/** Names that sort like the numbers. */
function podName(index: number): string {
  return `web-6d4cf56db6-${String(index).padStart(6, '0')}`;
}

function smallPod(name: string) {
  return { metadata: { name, labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'nginx:1.27' }] } };
}

function fullPod(name: string) {
  return {
    metadata: {
      name,
      labels: {
        app: 'web',
        'app.kubernetes.io/name': 'web',
        'app.kubernetes.io/instance': name,
        'app.kubernetes.io/part-of': 'shop',
        'app.kubernetes.io/managed-by': 'helm',
        'pod-template-hash': '6d4cf56db6',
      },
      annotations: {
        'checksum/config': '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
        'prometheus.io/scrape': 'true',
        'prometheus.io/port': '9090',
        'example.com/pod': name,
      },
    },
    spec: {
      terminationGracePeriodSeconds: 45,
      containers: ['web', 'proxy', 'exporter'].map(container),
      volumes: [
        { name: 'config', configMap: { name: 'web-config' } },
        { name: 'cache', emptyDir: { sizeLimit: '256Mi' } },
      ],
    },
  };
}

function container(name: string) {
  return {
    name,
    image: `registry.example.com/shop/${name}:1.27.3`,
    args: ['--listen=0.0.0.0:8080', '--log-level=info', '--shutdown-delay=5s'],
    ports: [{ name: 'http', containerPort: 8080 }],
    env: [
      ...['POD_NAME', 'POD_NAMESPACE'].map((variable) => ({
        name: variable,
        valueFrom: { fieldRef: { fieldPath: variable === 'POD_NAME' ? 'metadata.name' : 'metadata.namespace' } },
      })),
      { name: 'DATABASE_URL', valueFrom: { secretKeyRef: { name: 'web-secrets', key: 'database-url' } } },
      { name: 'CACHE_SIZE', value: '256' },
      { name: 'FEATURES', value: 'checkout,search,recommendations' },
    ],
    resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
    volumeMounts: [
      { name: 'config', mountPath: '/etc/web', readOnly: true },
      { name: 'cache', mountPath: '/var/cache/web' },
    ],
    readinessProbe: { httpGet: { path: '/readyz', port: 8080 }, periodSeconds: 5 },
  };
}
