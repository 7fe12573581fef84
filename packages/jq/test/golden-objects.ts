import type { JsonValue } from '../src/value.ts';

/** Objects as an API server gives them, for the programs people write as filters. */
export const POD: JsonValue = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'web-5d9c7b-x2x9k',
    generateName: 'web-5d9c7b-',
    namespace: 'shop',
    uid: '3b6a1f0e-8f9e-4c55-9a57-0b8c7f1f2d11',
    resourceVersion: '482913',
    creationTimestamp: '2024-03-05T23:51:47Z',
    labels: { app: 'web', 'app.kubernetes.io/name': 'web', 'pod-template-hash': '5d9c7b' },
    annotations: { 'prometheus.io/scrape': 'true', 'prometheus.io/port': '9115' },
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-5d9c7b', uid: 'aa', controller: true }],
  },
  spec: {
    nodeName: 'node-a',
    serviceAccountName: 'web',
    containers: [
      {
        name: 'nginx',
        image: 'registry.example.com/library/nginx:1.25.3',
        ports: [
          { name: 'http', containerPort: 8080, protocol: 'TCP' },
          { name: 'metrics', containerPort: 9115, protocol: 'TCP' },
        ],
        env: [
          { name: 'LOG_LEVEL', value: 'info' },
          { name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'db', key: 'password' } } },
        ],
        resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
      },
      { name: 'sidecar', image: 'envoy:v1.29', resources: { requests: { cpu: '50m', memory: '64Mi' } } },
    ],
    tolerations: [
      { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
    ],
    volumes: [
      { name: 'config', configMap: { name: 'web' } },
      { name: 'tls', secret: { secretName: 'web-tls', optional: false } },
    ],
  },
  status: {
    phase: 'Running',
    podIP: '10.1.2.3',
    conditions: [
      { type: 'Initialized', status: 'True', lastTransitionTime: '2024-03-05T23:51:49Z' },
      { type: 'Ready', status: 'False', reason: 'ContainersNotReady', lastTransitionTime: '2024-03-05T23:52:10Z' },
      { type: 'PodScheduled', status: 'True', lastTransitionTime: '2024-03-05T23:51:47Z' },
    ],
    containerStatuses: [
      { name: 'nginx', ready: true, restartCount: 0, state: { running: { startedAt: '2024-03-05T23:52:00Z' } } },
      { name: 'sidecar', ready: false, restartCount: 7, state: { waiting: { reason: 'CrashLoopBackOff' } } },
    ],
  },
};

export const DEPLOYMENT: JsonValue = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {
    name: 'web',
    namespace: 'shop',
    generation: 4,
    labels: { app: 'web' },
    annotations: { 'deployment.kubernetes.io/revision': '12' },
    managedFields: [{ manager: 'kubectl', operation: 'Apply', fieldsV1: { 'f:spec': { 'f:replicas': {} } } }],
  },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: 'web' } },
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: 1 } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: {
        containers: [
          { name: 'web', image: 'web:1.2.3', ports: [{ containerPort: 80 }] },
          { name: 'log', image: 'log' },
        ],
      },
    },
  },
  status: { observedGeneration: 3, replicas: 3, readyReplicas: 2, availableReplicas: 2, unavailableReplicas: 1 },
};

export const NODE: JsonValue = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name: 'node-a',
    labels: {
      'kubernetes.io/arch': 'amd64',
      'node-role.kubernetes.io/control-plane': '',
      'topology.kubernetes.io/zone': 'eu-1a',
    },
  },
  spec: {
    podCIDR: '10.1.2.0/24',
    unschedulable: true,
    taints: [{ key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }],
  },
  status: {
    capacity: { cpu: '8', memory: '32780704Ki', pods: '110' },
    allocatable: { cpu: '7800m', memory: '30000000Ki', pods: '110' },
    addresses: [
      { type: 'InternalIP', address: '192.168.1.10' },
      { type: 'Hostname', address: 'node-a' },
    ],
    conditions: [
      { type: 'MemoryPressure', status: 'False' },
      { type: 'Ready', status: 'True' },
    ],
    images: [
      { names: ['a@sha256:1', 'a:1'], sizeBytes: 120000000 },
      { names: ['b:2'], sizeBytes: 55000000 },
    ],
  },
};

export const SECRET: JsonValue = {
  apiVersion: 'v1',
  kind: 'Secret',
  type: 'Opaque',
  metadata: { name: 'db', namespace: 'shop', labels: { 'copy-to': 'all' } },
  data: { user: 'YWRtaW4=', password: 'czNjcjN0', 'config.json': 'eyJob3N0IjoiZGIiLCJwb3J0Ijo1NDMyfQ==' },
};
