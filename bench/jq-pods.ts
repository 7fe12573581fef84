/** The part of a pod that the handwritten filters read. */
export interface JqPod {
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly spec: { readonly containers: readonly { readonly image: string }[] };
}

/** Pods of 4.5 KB each, parsed one by one so that they share no memory. */
export function jqPods(count: number): readonly JqPod[] {
  return Array.from({ length: count }, (_, index) => JSON.parse(JSON.stringify(podOf(index))));
}

function podOf(index: number) {
  const name = `web-6d4cf56db6-${index}`;
  const condition = (type: string) => ({ type, status: 'True', lastTransitionTime: '2026-01-05T03:00:00Z' });
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      generateName: 'web-6d4cf56db6-',
      namespace: 'shop',
      uid: `0b1d4b3c-6a9c-4b0a-9d43-${String(index).padStart(12, '0')}`,
      resourceVersion: String(100_000 + index),
      creationTimestamp: '2026-01-05T03:00:00Z',
      labels: { app: 'web', 'app.kubernetes.io/instance': name, 'pod-template-hash': '6d4cf56db6', tier: 'front' },
      annotations: { 'checksum/config': '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-6d4cf56db6', controller: true }],
    },
    spec: {
      containers: ['web', 'proxy', 'exporter'].map(containerOf),
      nodeName: `node-${index % 7}`,
      serviceAccountName: 'web',
      volumes: [
        { name: 'config', configMap: { name: 'web-config', defaultMode: 420 } },
        { name: 'cache', emptyDir: { sizeLimit: '256Mi' } },
      ],
      tolerations: ['not-ready', 'unreachable'].map((taint) => ({
        key: `node.kubernetes.io/${taint}`,
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: 300,
      })),
    },
    status: {
      phase: 'Running',
      conditions: ['Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map(condition),
      podIP: `10.0.0.${index}`,
      containerStatuses: ['web', 'proxy', 'exporter'].map((container) => ({
        name: container,
        ready: true,
        restartCount: 0,
        image: `registry.example.com/shop/${container}:1.27.3`,
        imageID: `registry.example.com/shop/${container}@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c`,
        state: { running: { startedAt: '2026-01-05T03:00:01Z' } },
      })),
    },
  };
}

function containerOf(name: string) {
  return {
    name,
    image: `registry.example.com/shop/${name}:1.27.3`,
    args: ['--listen=0.0.0.0:8080', '--log-level=info'],
    ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
    env: ['POD_NAME', 'POD_NAMESPACE'].map((variable) => ({
      name: variable,
      valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } },
    })),
    resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
    volumeMounts: [{ name: 'config', mountPath: '/etc/web', readOnly: true }],
    readinessProbe: { httpGet: { path: '/readyz', port: 8080, scheme: 'HTTP' }, periodSeconds: 5 },
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: 'IfNotPresent',
  };
}
