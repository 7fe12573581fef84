import { expect } from 'vitest';
import { isJsonObject, type JsonObject } from '@hooklet/sandbox';
import { objectAt, objectsAt, textAt } from '@hooklet/sandbox/testing';
import { eventually } from '../../solutions/eventually.ts';
import { TARGET } from './prometheus-image.ts';
import { API, type PrometheusRig } from './prometheus-rig.ts';

/** A guard against waiting for ever. */
export const WAIT = 300_000;

const object = (kind: string, name: string, spec: JsonObject): JsonObject => ({
  apiVersion: API,
  kind,
  metadata: { name },
  spec,
});

/** The Prometheus `main`, which looks and asks each second. */
export const prometheus = (spec: JsonObject = {}): JsonObject =>
  object('Prometheus', 'main', {
    serviceAccountName: 'prometheus-main',
    scrapeInterval: '1s',
    scrapeTimeout: '1s',
    evaluationInterval: '1s',
    serviceMonitorSelector: {},
    podMonitorSelector: {},
    ruleSelector: {},
    storage: storageOf('512Mi'),
    ...spec,
  });

/** Scrapes the Prometheus itself. */
export const SELF = object('ServiceMonitor', 'self', {
  selector: { matchLabels: { 'monitoring.example.hooklet.dev/prometheus': 'main' } },
  endpoints: [{ port: 'web' }],
});

/** What is scraped by a ServiceMonitor and by a PodMonitor, and gets the alerts. */
export const TARGETS: readonly JsonObject[] = [
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'app', labels: { app: 'app' } },
    spec: {
      terminationGracePeriodSeconds: 0,
      securityContext: { runAsNonRoot: true, runAsUser: 65534, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [
        {
          name: 'app',
          image: TARGET,
          ports: [{ name: 'web', containerPort: 8080 }],
          securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
        },
      ],
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'app', labels: { app: 'app' } },
    spec: { clusterIP: 'None', selector: { app: 'app' }, ports: [{ name: 'web', port: 8080, targetPort: 'web' }] },
  },
  object('ServiceMonitor', 'app', { selector: { matchLabels: { app: 'app' } }, endpoints: [{ port: 'web' }] }),
  object('PodMonitor', 'app', { selector: { matchLabels: { app: 'app' } }, podMetricsEndpoints: [{ port: 'web' }] }),
];

/** A rule, in groups of about this many bytes. */
export const rule = (name: string, expr: string, { groups = 1, bytes = 10 } = {}): JsonObject =>
  object('PrometheusRule', name, {
    groups: Array.from({ length: groups }, (_, index) => ({
      name: `${name}-${index}`,
      rules: [{ alert: 'A', expr, annotations: { text: 'x'.repeat(bytes) } }],
    })),
  });

/** A condition of the Prometheus. */
export async function conditionOf(rig: PrometheusRig, type: string): Promise<JsonObject | undefined> {
  const found = await rig.get('prometheuses', 'main');
  return objectsAt(found, 'status', 'conditions').find((one) => one['type'] === type);
}

/** The condition `Accepted` of a rule. */
export async function acceptedOf(rig: PrometheusRig, name: string): Promise<JsonObject | undefined> {
  const [binding] = objectsAt(await rig.get('prometheusrules', name), 'status', 'bindings');
  return objectsAt(binding, 'conditions').find((one) => one['type'] === 'Accepted');
}

/** Throws unless the Pods run with what the status says that they should. */
export async function saysLoaded(rig: PrometheusRig): Promise<void> {
  const found = await rig.get('prometheuses', 'main');
  const conditions = objectsAt(found, 'status', 'conditions');
  const [ready, loaded] = ['Ready', 'Loaded'].map((type) => conditions.find((one) => one['type'] === type));
  expect(ready, textAt(ready, 'message')).toMatchObject({ status: 'True' });
  expect(loaded, textAt(loaded, 'message')).toMatchObject({
    status: 'True',
    observedGeneration: objectAt(found, 'metadata')['generation'],
  });
}

/** Waits until they do. */
export async function isLoaded(rig: PrometheusRig): Promise<void> {
  await eventually(async () => saysLoaded(rig), WAIT).catch(async (error: unknown) => {
    throw new Error(await evidenceOf(rig), { cause: error });
  });
}

/** What there is, for a test that waited in vain. */
export async function evidenceOf(rig: PrometheusRig): Promise<string> {
  const found = await rig.get('prometheuses', 'main');
  const [pods, sets] = await Promise.all([podsOf(rig), rig.list('statefulsets')]);
  const logs = await Promise.all(
    pods.map(async (pod) => rig.kubelet.logs({ namespace: rig.namespace, name: textAt(pod, 'metadata', 'name') })),
  );
  const parts = [found?.['status'], ...pods.map((pod) => pod['status']), ...sets.map((set) => set['status'])];
  return [...parts.map((part) => JSON.stringify(part)), ...logs.map((log) => log.slice(-3000))].join('\n');
}

/** The value of an expression, by the labels of its series. */
export async function valueOf(rig: PrometheusRig, expr: string): Promise<readonly JsonObject[]> {
  const answer = await rig.ask('prometheus-main-0', `/api/v1/query?query=${encodeURIComponent(expr)}`);
  return isJsonObject(answer) ? objectsAt(answer, 'data', 'result') : [];
}

async function podsOf(rig: PrometheusRig): Promise<readonly JsonObject[]> {
  return (await rig.list('pods')).filter((pod) => textAt(pod, 'metadata', 'name').startsWith('prometheus-main-'));
}

/** The Pods of the Prometheus with their uids, and how often their containers were started again. */
export async function podUids(rig: PrometheusRig): Promise<readonly string[]> {
  const pods = await podsOf(rig);
  return pods
    .map((pod) => {
      const [container] = objectsAt(pod, 'status', 'containerStatuses');
      const { name, uid } = objectAt(pod, 'metadata');
      return JSON.stringify([name, uid, container?.['restartCount']]);
    })
    .toSorted();
}

/** Storage of a size, of a class whose volumes can grow. */
export function storageOf(size: string): JsonObject {
  return {
    volumeClaimTemplate: { spec: { storageClassName: 'expandable', resources: { requests: { storage: size } } } },
  };
}
