import { expect, it } from 'vitest';
import { isJsonObject, type JsonObject } from '@hooklet/sandbox';
import { objectAt, objectsAt, textAt } from '@hooklet/sandbox/testing';
import { until } from '../operator-rig.ts';
import { sharedControlPlane } from '../shared-control-plane.ts';
import { API, startPrometheusRig, type PrometheusRig } from './prometheus/prometheus-rig.ts';

const plane = sharedControlPlane();
const LIMIT = { timeout: 900_000 };
const WAIT = 120_000;

const object = (kind: string, name: string, spec: JsonObject): JsonObject => ({
  apiVersion: API,
  kind,
  metadata: { name },
  spec,
});

const prometheus = (spec: JsonObject = {}): JsonObject =>
  object('Prometheus', 'main', {
    serviceAccountName: 'prometheus-main',
    scrapeInterval: '1s',
    scrapeTimeout: '1s',
    evaluationInterval: '1s',
    serviceMonitorSelector: {},
    podMonitorSelector: {},
    ruleSelector: {},
    storage: storageOf('64Mi'),
    ...spec,
  });

const SELF = object('ServiceMonitor', 'self', {
  selector: { matchLabels: { 'monitoring.example.hooklet.dev/prometheus': 'main' } },
  endpoints: [{ port: 'web' }],
});

const rule = (name: string, expr: string, { groups = 1, bytes = 10 } = {}): JsonObject =>
  object('PrometheusRule', name, {
    groups: Array.from({ length: groups }, (_, index) => ({
      name: `${name}-${index}`,
      rules: [{ alert: 'A', expr, annotations: { text: 'x'.repeat(bytes) } }],
    })),
  });

const GROUP = 'monitoring.example.hooklet.dev';

async function conditionOf(rig: PrometheusRig, type: string): Promise<JsonObject | undefined> {
  const found = await rig.get(rig.at(GROUP, 'prometheuses', 'main'));
  return objectsAt(found, 'status', 'conditions').find((one) => one['type'] === type);
}

/** Waits until the Pods run with what the status says that they should. */
async function isLoaded(rig: PrometheusRig): Promise<void> {
  await until(async () => {
    const found = await rig.get(rig.at(GROUP, 'prometheuses', 'main'));
    const conditions = objectsAt(found, 'status', 'conditions');
    const [ready, loaded] = ['Ready', 'Loaded'].map((type) => conditions.find((one) => one['type'] === type));
    expect(ready).toMatchObject({ status: 'True' });
    expect(loaded).toMatchObject({ status: 'True', observedGeneration: objectAt(found, 'metadata')['generation'] });
  }, WAIT).catch(async (error: unknown) => {
    throw new Error(await evidenceOf(rig), { cause: error });
  });
}

/** What there is, for a test that waited in vain. */
async function evidenceOf(rig: PrometheusRig): Promise<string> {
  const found = await rig.get(rig.at(GROUP, 'prometheuses', 'main'));
  const [pods, sets] = await Promise.all([rig.list(rig.at('', 'pods')), rig.list(rig.at('apps', 'statefulsets'))]);
  const logs = await Promise.all(
    pods.map(async (pod) => rig.kubelet.logs({ namespace: rig.namespace, name: textAt(pod, 'metadata', 'name') })),
  );
  const parts = [found?.['status'], ...pods.map((pod) => pod['status']), ...sets.map((set) => set['status'])];
  return [...parts.map((part) => JSON.stringify(part)), ...logs.map((log) => log.slice(-3000))].join('\n');
}

/** The value of an expression, by the labels of its series. */
async function valueOf(rig: PrometheusRig, expr: string): Promise<readonly JsonObject[]> {
  const answer = await rig.ask('prometheus-main-0', `/api/v1/query?query=${encodeURIComponent(expr)}`);
  return isJsonObject(answer) ? objectsAt(answer, 'data', 'result') : [];
}

async function podUids(rig: PrometheusRig): Promise<readonly string[]> {
  const pods = await rig.list(rig.at('', 'pods'));
  return pods.map((pod) => `${textAt(pod, 'metadata', 'name')} ${textAt(pod, 'metadata', 'uid')}`).toSorted();
}

it('scrapes, leaves out a bad rule, loads 3 MB of rules, and grows its volumes under its Pods', LIMIT, async () => {
  await using rig = await startPrometheusRig(plane);
  await rig.apply(SELF);
  await rig.apply(rule('first', 'vector(1)'));
  await rig.apply(prometheus());
  await isLoaded(rig);

  await until(async () => {
    expect(await valueOf(rig, 'up')).toMatchObject([
      {
        metric: { job: 'prometheus-main', pod: 'prometheus-main-0', endpoint: 'web' },
        value: [expect.anything(), '1'],
      },
    ]);
  }, WAIT);
  await until(async () => expect(await valueOf(rig, 'ALERTS{alertname="A"}')).toHaveLength(1), WAIT);
  const before = await podUids(rig);
  expect(before).toHaveLength(1);

  await rig.apply(rule('bad', 'sum(up'));
  await until(async () => {
    const bad = await rig.get(rig.at(GROUP, 'prometheusrules', 'bad'));
    expect(objectsAt(bad, 'status', 'bindings')).toMatchObject([
      {
        name: 'main',
        conditions: [{ type: 'Accepted', status: 'False', message: expect.stringContaining('unclosed') }],
      },
    ]);
    expect(await conditionOf(rig, 'Complete')).toMatchObject({ status: 'False', reason: 'SomeLeftOut' });
  }, WAIT);

  for (let index = 0; index < 6; index += 1) {
    await rig.apply(rule(`large-${index}`, 'vector(1)', { groups: 5, bytes: 100_000 }));
  }
  await rig.apply(rule('giant', 'vector(1)', { groups: 1, bytes: 600_000 }));
  await until(async () => {
    const metrics = String(await rig.ask('prometheus-main-0', '/metrics'));
    // 30 groups of six, the giant, and the first.
    expect(metrics.match(/^prometheus_rule_group_rules\{/gm)).toHaveLength(32);
    expect(metrics).toMatch(/^prometheus_config_last_reload_successful 1$/m);
  }, WAIT);
  await isLoaded(rig);
  expect((await rig.list(rig.at('', 'configmaps'))).length).toBeGreaterThan(4);

  const set = await rig.get(rig.at('apps', 'statefulsets', 'prometheus-main'));
  await rig.apply(prometheus({ storage: storageOf('128Mi') }));
  await until(async () => {
    const [claim] = await rig.list(rig.at('', 'persistentvolumeclaims'));
    const now = await rig.get(rig.at('apps', 'statefulsets', 'prometheus-main'));
    expect(objectAt(claim, 'spec', 'resources')).toMatchObject({ requests: { storage: '128Mi' } });
    expect(textAt(now, 'metadata', 'uid')).not.toBe(textAt(set, 'metadata', 'uid'));
    expect(await conditionOf(rig, 'Stored')).toMatchObject({ status: 'True' });
  }, WAIT);
  await isLoaded(rig);
  expect(await podUids(rig)).toEqual(before);

  await rig.restartOperator();
  await isLoaded(rig);
  expect(await podUids(rig)).toEqual(before);
  expect(rig.operator().lines.filter(({ level }) => level === 'error')).toEqual([]);
});

function storageOf(size: string): JsonObject {
  return {
    volumeClaimTemplate: { spec: { storageClassName: 'expandable', resources: { requests: { storage: size } } } },
  };
}
