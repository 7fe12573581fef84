import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { isJsonObject, type JsonObject } from '@hooklet/sandbox';
import { objectAt, objectsAt, textAt } from '@hooklet/sandbox/testing';
import { baseObjects } from '../../src/cli/deploy/base.ts';
import { adminKubectl } from './admin-kubectl.ts';
import { helmAsset } from './assets.ts';
import { sharedControlPlane } from './shared-control-plane.ts';

const chart = fileURLToPath(new URL('../../deploy/chart', import.meta.url));
const plane = sharedControlPlane();
const kubectl = adminKubectl(plane);
const NAMESPACE = 'chart-test';
/** Everything switched on. */
const ALL = {
  replicas: 2,
  image: { repository: 'registry.example.com/hooks', digest: `sha256:${'a'.repeat(64)}` },
  hooks: { files: { 'start.sh': '#!/bin/sh\necho \'{"configVersion":"v1","onStartup":1}\'\n' } },
  env: [{ name: 'TEAM', value: 'a' }],
  rbac: {
    clusterRules: [{ apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch'] }],
    namespaceRules: [
      { namespace: NAMESPACE, rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['create'] }] },
    ],
  },
  scheduleState: { enabled: true },
  webhooks: { enabled: true },
  httpTriggers: { enabled: true, ingress: { enabled: true, host: 'hooks.test', tlsSecretName: 'hooks-tls' } },
  jobs: { enabled: true, namespaces: [NAMESPACE] },
  workers: {
    enabled: true,
    pools: { gpu: { replicas: 1, tolerations: [{ key: 'gpu', operator: 'Exists' }] } },
    autoscaling: { enabled: true, prometheusUrl: 'http://prometheus.monitoring:9090' },
  },
  ui: { enabled: true },
  networkPolicy: { webhooksFrom: [{ ipBlock: { cidr: '192.0.2.10/32' } }], egress: [{ ports: [{ port: 443 }] }] },
  podMonitor: { enabled: true, labels: { release: 'prometheus' } },
  prometheusRule: { enabled: true },
  dashboard: { enabled: true },
  extraObjects: [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: '{{ .Release.Name }}-one' } },
    'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}-two\n',
  ],
};

let folder = '';
let helm: (...args: readonly string[]) => Promise<string>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hooklet-chart-'));
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, plane.kubeconfig('admin'), { mode: 0o600 });
  writeFileSync(join(folder, 'all.yaml'), stringify(ALL));
  const program = await helmAsset(process.env);
  const env = { KUBECONFIG: kubeconfig, HELM_CACHE_HOME: folder, HELM_CONFIG_HOME: folder, HELM_DATA_HOME: folder };
  helm = async (...args) => (await execa(program, args, { env })).stdout;
  const namespace = { name: NAMESPACE, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } };
  await apply({ apiVersion: 'v1', kind: 'Namespace', metadata: namespace }, ...monitoringKinds());
  const kinds = monitoringKinds().map((kind) => `crd/${textAt(kind, 'metadata', 'name')}`);
  await kubectl(['wait', '--for=condition=Established', ...kinds]);
});
afterAll(async () => {
  // The kinds stay: what deletes them disturbs the garbage collector of other tests.
  await kubectl(['delete', 'namespace', NAMESPACE, '--wait=false']);
  rmSync(folder, { recursive: true });
});

async function apply(...objects: readonly JsonObject[]): Promise<void> {
  const file = join(folder, 'apply.json');
  writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
  await kubectl(['apply', '-f', file]);
}

/** The kinds of the Prometheus operator and of KEDA, with the fields that the chart uses. */
function monitoringKinds(): readonly JsonObject[] {
  const text = { type: 'string' };
  const texts = { type: 'object', additionalProperties: text };
  const fields = (properties: JsonObject): JsonObject => ({ type: 'object', properties });
  const list = (items: JsonObject): JsonObject => ({ type: 'array', items });
  const relabeling = fields({ sourceLabels: list(text), targetLabel: text });
  const endpoint = fields({ port: text, path: text, interval: text, relabelings: list(relabeling) });
  const rule = fields({ alert: text, expr: text, for: text, labels: texts, annotations: texts });
  return [
    definition('PodMonitor', 'podmonitors', {
      selector: fields({ matchLabels: texts }),
      podMetricsEndpoints: list(endpoint),
    }),
    definition('PrometheusRule', 'prometheusrules', { groups: list(fields({ name: text, rules: list(rule) })) }),
    definition('ScaledObject', 'scaledobjects', {
      scaleTargetRef: fields({ name: text }),
      minReplicaCount: { type: 'integer' },
      maxReplicaCount: { type: 'integer' },
      triggers: list(fields({ type: text, metadata: texts })),
    }),
  ];
}

function definition(kind: string, plural: string, spec: JsonObject): JsonObject {
  const [group, version] = kind === 'ScaledObject' ? ['keda.sh', 'v1alpha1'] : ['monitoring.coreos.com', 'v1'];
  const schema = { type: 'object', properties: { spec: { type: 'object', properties: spec } } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase() },
      versions: [{ name: version, served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  };
}

async function rendered(...args: readonly string[]): Promise<readonly JsonObject[]> {
  const text = await helm('template', 'hooks', chart, '--namespace', NAMESPACE, ...args);
  return parseAllDocuments(text).flatMap((document) => {
    const value: unknown = document.toJS();
    return isJsonObject(value) ? [value] : [];
  });
}

function podSpec(objects: readonly unknown[]): JsonObject {
  const deployment = objects.filter(isJsonObject).find(({ kind }) => kind === 'Deployment') ?? {};
  return objectAt(deployment, 'spec', 'template', 'spec');
}

/** The object of a kind whose metadata have a text. */
function find(objects: readonly JsonObject[], kind: string, place: string): JsonObject {
  return objects.find((one) => one['kind'] === kind && JSON.stringify(one['metadata']).includes(place)) ?? {};
}

/** The objects of the release, as `kind/name`. */
async function installed(): Promise<readonly string[]> {
  const kinds = 'deployment,configmap,serviceaccount,service,role,rolebinding,clusterrole,clusterrolebinding';
  const more = 'networkpolicy,ingress,poddisruptionbudget,podmonitor,prometheusrule,scaledobject';
  const label = 'app.kubernetes.io/instance=hooks';
  const names = await kubectl(['get', `${kinds},${more}`, '-n', NAMESPACE, '-l', label, '-o', 'name']);
  return names === '' ? [] : names.split('\n').toSorted();
}

async function deployed(path: string): Promise<string> {
  return kubectl(['get', 'deployment', 'hooks', '-n', NAMESPACE, '-o', `jsonpath={${path}}`]);
}

describe('deploy/chart', { timeout: 120_000 }, () => {
  it('passes helm lint --strict, as it is and with everything switched on', async () => {
    for (const args of [[], ['--values', join(folder, 'all.yaml')]]) {
      expect(await helm('lint', '--strict', chart, ...args)).toContain('1 chart(s) linted, 0 chart(s) failed');
    }
  });

  it.each([
    ['replica=2', 'replica'],
    ['replicas=two', 'replicas'],
    ['image.digest=sha256:1', 'digest'],
    ['webhooks.certificates=files', 'certificates'],
    ['podMonitor.interval=often', 'interval'],
    ['resources.limit.memory=1Gi', 'limit'],
    ['image=null', "missing property 'image'"],
    ['fullnameOverride=1hooks', '/fullnameOverride'],
    ['podLabels.app\\.kubernetes\\.io/instance=other', 'app.kubernetes.io/instance'],
    ['hooks.files.a=b,hooks.existingConfigMap=c', 'choose one'],
    ['httpTriggers.ingress.enabled=true', 'httpTriggers is not'],
    ['workers.pools.Gpu.replicas=1', 'Gpu'],
    ['workers.pools.gpu.replica=1', 'replica'],
    ['workers.enabled=true,workers.pools.default=null', 'no pool'],
    ['workers.enabled=true,workers.autoscaling.enabled=true', 'prometheusUrl'],
    ['shards.serverSide=true', 'not enabled'],
    ['shards.enabled=true,env[0].name=HOOKLET_LEADER_ELECT,env[0].value=yes', 'choose one'],
    ['rbac.create=false,rbac.clusterRules[0].verbs[0]=get', 'while rbac.create is false'],
  ])('refuses --set %s, and names %s', async (set, name) => {
    await expect(rendered('--set', set)).rejects.toThrow(name);
  });

  it('makes the Deployment of deploy/base, and adds to it only the environment', async () => {
    const base = podSpec(baseObjects(['events']));
    const own = podSpec(await rendered());
    const [container = {}] = objectsAt(own, 'containers');
    const [expected = {}] = objectsAt(base, 'containers');
    const { env: _, image: __, ...fields } = expected;

    expect(container).toMatchObject(fields);
    expect(Object.keys(container).toSorted()).toEqual([...Object.keys(expected), 'imagePullPolicy'].toSorted());
    expect(objectsAt(container, 'env')).toEqual(expect.arrayContaining([...objectsAt(expected, 'env')]));
    const { containers: ___, serviceAccountName: ____, ...pod } = base;
    expect(own).toMatchObject(pod);
  });

  it('probes and spreads Pods with webhooks as components/webhooks does', async () => {
    const base = podSpec(baseObjects(['webhooks']));
    const own = podSpec(await rendered('--set', 'webhooks.enabled=true,replicas=2'));
    const [container = {}] = objectsAt(own, 'containers');
    const [expected = {}] = objectsAt(base, 'containers');

    expect(container['readinessProbe']).toEqual(expected['readinessProbe']);
    expect(container['ports']).toEqual(expect.arrayContaining([...objectsAt(expected, 'ports')]));
    expect(objectsAt(own, 'topologySpreadConstraints')).toMatchObject([
      { maxSkew: 1, topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway' },
    ]);
  });

  it('makes of Jobs what components/jobs does, and a Role in each other namespace that they are in', async () => {
    const objects = await rendered('--set', 'jobs.enabled=true,jobs.namespaces={heavy}');
    const component = baseObjects(['jobs', 'run-port']).filter(isJsonObject);
    const { selector: _, ...spec } = objectAt(find(component, 'Service', 'hooklet-jobs'), 'spec');
    const reviews = find(component, 'ClusterRole', 'hooklet-jobs')['rules'];
    const roles = ['hooklet-jobs', 'hooklet-jobs-certificate'].map(
      (name) => find(component, 'Role', `"${name}"`)['rules'],
    );
    const expected = JSON.stringify(roles.flat());
    const rules = expected.replace('hooklet-jobs-certs', 'hooks-jobs-certs').slice(1, -1);
    const [container] = objectsAt(podSpec(objects), 'containers');

    expect(find(objects, 'Service', 'hooks-jobs')).toMatchObject({ spec });
    expect(find(objects, 'ClusterRole', `${NAMESPACE}-hooks-jobs`)['rules']).toEqual(reviews);
    expect(JSON.stringify(find(objects, 'Role', 'hooks-own')['rules'])).toContain(rules);
    expect(rules).toContain(JSON.stringify(find(objects, 'Role', '"heavy"')['rules']).slice(1, -1));
    expect(container).toMatchObject({
      env: expect.arrayContaining([{ name: 'HOOKLET_JOBS_SERVICE_NAME', value: 'hooks-jobs' }]),
      ports: expect.arrayContaining([{ name: 'jobs', containerPort: 9682 }]),
    });
  });

  it('makes of workers what components/workers does, in a Deployment for each pool', async () => {
    const objects = await rendered('--set', 'workers.enabled=true,workers.pools.gpu.replicas=0,replicas=2');
    const component = baseObjects(['run-port', 'workers']).filter(isJsonObject);
    const pod = (one: JsonObject): JsonObject => objectAt(one, 'spec', 'template', 'spec');
    const expected = find(component, 'Deployment', '"hooklet-workers"');
    const own = find(objects, 'Deployment', '"hooks-workers"');
    const gpu = find(objects, 'Deployment', '"hooks-workers-gpu"');
    const text = JSON.stringify(pod(expected)).replaceAll('hooklet-jobs', 'hooks-jobs');
    const wanted: unknown = JSON.parse(
      text.replace('hooklet-workers', 'hooks-workers').replace('hooklet-hooks', 'hooklet:0.1.0'),
    );

    expect(pod(own)).toMatchObject(isJsonObject(wanted) ? wanted : {});
    expect([own, gpu].map((one) => objectAt(one, 'spec')['replicas'])).toEqual([2, 0]);
    expect(objectsAt(pod(gpu), 'containers')[0]?.['args']).toEqual([
      'work',
      '--operator',
      'https://hooks-jobs.$(POD_NAMESPACE).svc:9682',
      '--capacity',
      '4',
      '--pool',
      'gpu',
    ]);
    const rules = objects.flatMap((one) => objectsAt(one, 'rules')).map((rule) => JSON.stringify(rule['resources']));
    expect(rules).toEqual(expect.arrayContaining(['["tokenreviews"]', '["secrets"]']));
    expect(rules.filter((one) => /jobs|pods\/log/.test(one))).toEqual([]);
    expect(JSON.stringify(objectsAt(podSpec(objects), 'containers'))).toContain(
      '{"name":"HOOKLET_WORKERS_ACCOUNT","value":"hooks-workers"}',
    );
  });

  it('makes of shards what components/shards does, and no Lease of a leader, with webhooks neither', async () => {
    const objects = await rendered(
      '--set',
      'shards.enabled=true,shards.serverSide=true,replicas=3,webhooks.enabled=true',
    );
    const component = find(baseObjects(['shards']).filter(isJsonObject), 'Role', 'hooklet-shards');
    const sorted = (rules: readonly JsonObject[]): readonly string[] => rules.map((rule) => JSON.stringify(rule));
    const expected = sorted(objectsAt(component, 'rules')).map((rule) =>
      rule.replace('hooklet-shards-slices', 'hooks-shards-slices'),
    );
    const rules = sorted(objectsAt(find(objects, 'Role', 'hooks-own'), 'rules'));
    const env = objectsAt(podSpec(objects), 'containers').flatMap((one) => objectsAt(one, 'env'));
    const values = Object.fromEntries(env.map(({ name, value }) => [name, value]));

    expect(rules).toEqual(expect.arrayContaining([...expected]));
    expect(rules.filter((rule) => rule.includes('leases'))).toHaveLength(1);
    expect(values).toMatchObject({
      HOOKLET_SHARDS: 'true',
      HOOKLET_SHARDS_LEASE_NAME: 'hooks-shards',
      HOOKLET_SHARDS_SERVER_SIDE: 'true',
    });
    expect(Object.keys(values)).toContain('POD_NAME');
    expect(Object.keys(values)).not.toContain('HOOKLET_LEADER_ELECT');
    expect(find(objects, 'Deployment', '"hooks"')).toMatchObject({ spec: { strategy: { type: 'RollingUpdate' } } });
  });

  it('has workers scraped by a PodMonitor of their own, which asks for no metrics of hooks', async () => {
    const objects = await rendered('--set', 'podMonitor.enabled=true,workers.enabled=true');
    const monitor = find(objects, 'PodMonitor', '"hooks-workers"');
    const deployment = find(objects, 'Deployment', '"hooks-workers"');
    const labels = objectAt(deployment, 'spec', 'template', 'metadata', 'labels');

    expect(labels).toMatchObject(objectAt(monitor, 'spec', 'selector', 'matchLabels'));
    expect(objectsAt(monitor, 'spec', 'podMetricsEndpoints').map(({ path }) => path)).toEqual(['/metrics']);
    const plain = await rendered('--set', 'podMonitor.enabled=true');
    expect(plain.filter(({ kind }) => kind === 'PodMonitor')).toHaveLength(1);
  });

  it('gives a Pod 30 s more than the limit of its drain', async () => {
    const objects = await rendered(
      '--set',
      'workers.enabled=true,workers.drainSeconds=3600,workers.pools.default.capacity=9',
    );
    const pod = objectAt(find(objects, 'Deployment', '"hooks-workers"'), 'spec', 'template', 'spec');

    expect(pod['terminationGracePeriodSeconds']).toBe(3630);
    expect(JSON.stringify(objectsAt(pod, 'containers')[0]?.['args'])).toContain(
      '"--capacity","9","--drain-limit","3600s"',
    );
  });

  it('selects no worker by what selects hooklet, and lets workers in where no Jobs are', async () => {
    const objects = await rendered('--set', 'workers.enabled=true,jobs.namespaces={heavy},webhooks.enabled=true');
    const labels = objectAt(find(objects, 'Deployment', '"hooks-workers"'), 'spec', 'template', 'metadata', 'labels');
    const services = objects.filter(({ kind }) => kind === 'Service').map((one) => objectAt(one, 'spec', 'selector'));
    const hooklet = objectAt(find(objects, 'Deployment', '"hooks"'), 'spec', 'selector', 'matchLabels');
    const policy = find(objects, 'NetworkPolicy', '"hooks"');
    const from = objectsAt(policy, 'spec', 'ingress').find((rule) => JSON.stringify(rule).includes('"jobs"'));

    for (const selector of [...services, hooklet])
      expect(Object.entries(selector).every(([key, value]) => labels[key] === value)).toBe(false);
    expect(from?.['from']).toEqual([{ podSelector: { matchLabels: { 'app.kubernetes.io/managed-by': 'hooklet' } } }]);
    expect(labels).toMatchObject({ 'app.kubernetes.io/managed-by': 'hooklet' });
  });

  it('leaves the number of workers to the autoscaler, which asks for the pool of each', async () => {
    const set = 'workers.enabled=true,workers.autoscaling.enabled=true,workers.autoscaling.prometheusUrl=http://a:9090';
    const objects = await rendered('--set', set);
    const scaled = find(objects, 'ScaledObject', '"hooks-workers"');
    const [trigger] = objectsAt(scaled, 'spec', 'triggers');
    const example = parse(
      readFileSync(fileURLToPath(new URL('../../deploy/autoscaling/keda.yaml', import.meta.url)), 'utf8'),
    );
    const query = textAt(objectsAt(example, 'spec', 'triggers')[0], 'metadata', 'query');

    expect(objectAt(find(objects, 'Deployment', '"hooks-workers"'), 'spec')).not.toHaveProperty('replicas');
    expect(textAt(scaled, 'spec', 'scaleTargetRef', 'name')).toBe('hooks-workers');
    expect(textAt(trigger, 'metadata', 'query')).toBe(
      query.replaceAll('namespace="hooklet"', `namespace="${NAMESPACE}"`),
    );
  });

  it('takes the image by its digest, and mounts hooks of the values executable', async () => {
    const own = podSpec(await rendered('--values', join(folder, 'all.yaml')));
    const [container = {}] = objectsAt(own, 'containers');

    expect(container['image']).toBe(`registry.example.com/hooks@sha256:${'a'.repeat(64)}`);
    expect(objectsAt(own, 'volumes')).toContainEqual({
      name: 'hooks',
      configMap: { name: 'hooks-hooks', defaultMode: 0o555 },
    });
  });

  it('is accepted field by field with everything switched on', async () => {
    const objects = await rendered('--values', join(folder, 'all.yaml'));
    const file = join(folder, 'rendered.json');
    writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));

    const applied = await kubectl(['apply', '-n', NAMESPACE, '--dry-run=server', '--validate=strict', '-f', file]);

    expect(applied.split('\n')).toHaveLength(objects.length);
    const dashboard = objects.find((object) => textAt(object, 'metadata', 'name') === 'hooks-dashboard') ?? {};
    expect(JSON.parse(textAt(dashboard, 'data', 'hooklet.json'))).toMatchObject({ title: 'hooklet' });
    const rules = objects.find(({ kind }) => kind === 'PrometheusRule') ?? {};
    expect(objectsAt(rules, 'spec', 'groups')).not.toEqual([]);
  });

  it('uses an account that is there already', async () => {
    const objects = await rendered('--set', 'existingServiceAccount=mine');

    expect(objects.filter(({ kind }) => kind === 'ServiceAccount')).toEqual([]);
    expect(podSpec(objects)['serviceAccountName']).toBe('mine');
    expect(objectsAt(objects.find(({ kind }) => kind === 'RoleBinding') ?? {}, 'subjects')).toMatchObject([
      { name: 'mine' },
    ]);
  });

  it('names objects so that there can be Services of that name', async () => {
    expect(await helm('template', 'my.hooks', chart)).toMatch(/kind: Deployment\nmetadata:\n {2}name: my-hooks\n/);
    await expect(helm('template', '1hooks', chart)).rejects.toThrow('set fullnameOverride');
  });

  it('grants people on the page what components/ui grants', async () => {
    const objects = await rendered('--set', 'ui.enabled=true');
    const rules = (all: readonly JsonObject[], name: string): unknown =>
      all.find((one) => textAt(one, 'kind') === 'ClusterRole' && textAt(one, 'metadata', 'name').endsWith(name))?.[
        'rules'
      ];
    const roles = fileURLToPath(new URL('../../deploy/components/ui/roles.yaml', import.meta.url));
    const component = parseAllDocuments(readFileSync(roles, 'utf8'))
      .map((document): unknown => document.toJS())
      .filter(isJsonObject);

    expect(rules(component, '-viewer')).toBeDefined();
    for (const name of ['-viewer', '-operator']) expect(rules(objects, name)).toEqual(rules(component, name));
  });

  it('selects the same Pods whatever the values, since a selector cannot be changed', async () => {
    const selectors = [[], ['--values', join(folder, 'all.yaml')], ['--set', 'podLabels.team=a,webhooks.enabled=true']];
    const seen = await Promise.all(
      selectors.map(async (args) => {
        const deployment = (await rendered(...args)).find(({ kind }) => kind === 'Deployment') ?? {};
        return objectAt(deployment, 'spec', 'selector');
      }),
    );

    const expected = { matchLabels: { 'app.kubernetes.io/name': 'hooklet', 'app.kubernetes.io/instance': 'hooks' } };
    expect(seen).toEqual(selectors.map(() => expected));
  });

  it('can be installed, upgraded, rolled back and uninstalled, and leaves nothing', async () => {
    const release = ['hooks', chart, '--namespace', NAMESPACE];
    await helm('install', ...release);
    const first = await installed();
    expect(await deployed('.spec.strategy.type')).toBe('Recreate');

    await helm('upgrade', ...release, '--values', join(folder, 'all.yaml'));
    expect(await installed()).toEqual(
      expect.arrayContaining(['service/hooks-webhooks', 'ingress.networking.k8s.io/hooks-triggers']),
    );
    expect(await deployed('.spec.replicas')).toBe('2');

    await helm('rollback', 'hooks', '1', '--namespace', NAMESPACE);
    expect(await installed()).toEqual(first);
    expect(await deployed('.spec.strategy')).toBe('{"type":"Recreate"}');

    await helm('uninstall', 'hooks', '--namespace', NAMESPACE, '--cascade', 'foreground');
    await expect.poll(installed, { timeout: 30_000 }).toEqual([]);
    expect(await helm('list', '--namespace', NAMESPACE, '-q')).toBe('');
  });

  it('names in its alerts and its dashboard no template of Helm that was left unread', async () => {
    const text = await helm('template', 'hooks', chart, '--set', 'prometheusRule.enabled=true');

    expect(parse(text.split('\n---\n').find((one) => one.includes('kind: PrometheusRule')) ?? '')).toMatchObject({
      kind: 'PrometheusRule',
    });
    expect(text).toContain('{{ $labels.hook }}');
  });
});
