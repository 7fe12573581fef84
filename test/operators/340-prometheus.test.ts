import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { isJsonObject, type JsonObject, type JsonValue } from '@hooklet/sandbox';
import { textAt } from '@hooklet/sandbox/testing';
import { openWorld } from '../../src/testing/index.ts';
import { examplesDir, readManifests } from '../support/example-rig.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { fieldSweep, withoutEffect } from './kit/field-sweep.ts';
import { quietDay } from './kit/quiet-day.ts';
import { rights } from './kit/rights.ts';
import { twoVersions } from './kit/two-versions.ts';

const example = join(examplesDir, '340-prometheus');
const manifests = join(example, 'manifests');
const definition = join(manifests, 'crds.yaml');
const API = 'monitoring.example.hooklet.dev/v1';
const object = (kind: string, name: string, spec: JsonObject, labels: JsonObject = {}): JsonObject => ({
  apiVersion: API,
  kind,
  metadata: { name, namespace: 'default', labels },
  spec,
});
const storage = (size: string): JsonObject => ({
  volumeClaimTemplate: { spec: { resources: { requests: { storage: size } } } },
});
const BASE = object('Prometheus', 'main', {
  serviceMonitorSelector: {},
  podMonitorSelector: {},
  ruleSelector: {},
});
const MONITOR = object(
  'ServiceMonitor',
  'web',
  { selector: {}, endpoints: [{ port: 'web' }] },
  { team: 'a', tier: 'x' },
);
const PODS = object(
  'PodMonitor',
  'web',
  { selector: {}, podMetricsEndpoints: [{ port: 'web' }] },
  { team: 'a', tier: 'x' },
);
const RULES = object(
  'PrometheusRule',
  'web',
  { groups: [{ name: 'g', rules: [{ record: 'a:b', expr: 'up' }] }] },
  { team: 'a', tier: 'x' },
);
const programs = join(example, 'scenarios', 'programs');
const LIMIT = { timeout: 600_000 };

/** Without the webhook, whose certificates need their time in a day that passes in a moment. */
const reconciling = [join(example, 'hooks', 'prometheus.ts')];
const world = { hooks: reconciling, crds: definition, programs, objects: [BASE, MONITOR, PODS, RULES] };

describe('340-prometheus', LIMIT, () => {
  it('writes nothing in a day in which nothing happens', async () => {
    await using quiet = await openWorld(world);

    expect(await quietDay(quiet)).toEqual([]);
  });

  it('another version of the hook writes nothing, and restarts no Prometheus (prometheus-operator#3875)', async () => {
    using folder = temporaryFolder();
    const hooks = join(folder.path, 'hooks');
    cpSync(join(example, 'hooks'), hooks, { recursive: true, filter: (path) => !path.endsWith('admission.ts') });
    const { hooks: _, ...rest } = world;

    expect(await twoVersions({ hooks, world: rest })).toEqual([]);
  });

  it('has exactly the rights that it needs', async () => {
    const files = ['namespace.yaml', 'crds.yaml', 'rbac.yaml', 'deployment.yaml'];
    const all = files.flatMap((file) => readManifests(join(manifests, file)));

    const lines = await rights({
      hooks: join(example, 'hooks'),
      manifests: all,
      scenarios: [join(example, 'scenarios')],
      flags: ['--dead-letters', 'none'],
    });

    expect(lines).toEqual([]);
  });
});

/** Two values of the fields of which the schema does not say what they may be. */
const SELECTORS = ['serviceMonitor', 'podMonitor', 'rule'].flatMap((kind) => {
  const [own, namespaces] = [`spec.${kind}Selector`, `spec.${kind}NamespaceSelector`];
  const expression = (
    path: string,
    [key, other]: readonly [string, string],
    [value, second]: readonly [string, string],
  ) =>
    [
      [`${path}.matchExpressions[].key`, [key, other]],
      [`${path}.matchExpressions[].values[]`, [value, second]],
      [`${path}.matchExpressions[].operator`, ['NotIn', 'Exists']],
    ] as const;
  return [
    [`${own}.matchLabels{}`, ['a', 'b']] as const,
    [`${namespaces}.matchLabels{}`, ['a', 'b']] as const,
    ...expression(own, ['team', 'nobody'], ['a', 'b']),
    ...expression(namespaces, ['kubernetes.io/metadata.name', 'nobody'], ['default', 'other']),
  ];
});
const VALUES: Readonly<Record<string, readonly [JsonValue, JsonValue]>> = {
  ...Object.fromEntries(SELECTORS),
  'spec.version': ['2.54.0', 'v3'],
  'spec.image': ['registry.example.com/a:1', 'registry.example.com/a:2'],
  'spec.retention': ['1d', '2w'],
  'spec.retentionSize': ['1GB', '2GB'],
  'spec.scrapeInterval': ['15s', '1m'],
  'spec.scrapeTimeout': ['5s', '6s'],
  'spec.evaluationInterval': ['15s', '1m'],
  'spec.externalLabels{}': ['a', 'b'],
  'spec.serviceAccountName': ['a', 'b'],
  'spec.alerting.alertmanagers[].namespace': ['a', 'b'],
  'spec.alerting.alertmanagers[].name': ['a', 'b'],
  'spec.alerting.alertmanagers[].port': ['web', 9093],
  'spec.alerting.alertmanagers[].pathPrefix': ['/a', '/b'],
  'spec.storage.volumeClaimTemplate.spec.storageClassName': ['fast', 'slow'],
  'spec.storage.volumeClaimTemplate.spec.resources.requests.storage': ['2Gi', '-1Gi'],
  'spec.resources.requests{}': ['1', '2'],
  'spec.resources.limits{}': ['1', '2'],
  'spec.nodeSelector{}': ['a', 'b'],
};

describe('each field of a Prometheus, set, changed and removed,', LIMIT, () => {
  it('has an effect or is refused', async () => {
    const spec = specOf(BASE);
    const bases: Record<string, JsonObject> = {
      'spec.storage': { ...BASE, spec: { ...spec, storage: storage('1Gi') } },
      'spec.alerting': { ...BASE, spec: { ...spec, alerting: { alertmanagers: [{ name: 'am', port: 'web' }] } } },
    };
    for (const kind of ['serviceMonitor', 'podMonitor', 'rule']) {
      for (const [field, key, value] of [
        [`${kind}Selector`, 'team', 'a'],
        [`${kind}NamespaceSelector`, 'kubernetes.io/metadata.name', 'default'],
      ] as const) {
        const expressions = { matchExpressions: [{ key, operator: 'In', values: [value] }] };
        bases[`spec.${field}.matchLabels`] = { ...BASE, spec: { ...spec, [field]: {} } };
        bases[`spec.${field}.matchExpressions`] = { ...BASE, spec: { ...spec, [field]: expressions } };
      }
    }

    const swept = await fieldSweep({
      world: { ...world, objects: [MONITOR, PODS, RULES] },
      definition,
      base: BASE,
      bases,
      values: VALUES,
    });

    expect(withoutEffect(swept)).toEqual([]);
  });
});

/** Of a ServiceMonitor and a PodMonitor, whose endpoints have the same fields. */
const MONITOR_VALUES: Readonly<Record<string, readonly [JsonValue, JsonValue]>> = {
  'spec.selector.matchLabels{}': ['a', 'b'],
  'spec.selector.matchExpressions[].key': ['a', 'b'],
  'spec.selector.matchExpressions[].operator': ['NotIn', 'Exists'],
  'spec.selector.matchExpressions[].values[]': ['a', 'b'],
  'spec.namespaceSelector.matchNames[]': ['a', 'b'],
  'spec.jobLabel': ['a', 'b'],
  'spec.podTargetLabels[]': ['a', 'b'],
};
const ENDPOINT_VALUES: Readonly<Record<string, readonly [JsonValue, JsonValue]>> = {
  port: ['http', 'metrics'],
  targetPort: ['http', 8080],
  path: ['/a', '/b'],
  interval: ['15s', '1m'],
  scrapeTimeout: ['5s', '6s'],
  'params{}[]': ['a', 'b'],
  'tlsConfig.serverName': ['a', 'b'],
  ...Object.fromEntries(
    ['relabelings', 'metricRelabelings'].flatMap((list) =>
      Object.entries<readonly [JsonValue, JsonValue]>({
        'sourceLabels[]': ['a', 'b'],
        separator: [',', '/'],
        regex: ['a', 'b'],
        targetLabel: ['a', 'b'],
        replacement: ['a', 'b'],
        action: ['keep', 'Drop'],
      }).map(([field, values]) => [`${list}[].${field}`, values] as const),
    ),
  ),
};
const RULE = 'spec.groups[].rules[]';
const RULE_VALUES: Readonly<Record<string, readonly [JsonValue, JsonValue]>> = {
  'spec.groups[].name': ['a', 'b'],
  'spec.groups[].interval': ['15s', '1m'],
  [`${RULE}.record`]: ['a', 'b'],
  [`${RULE}.alert`]: ['A', 'B'],
  [`${RULE}.expr`]: ['up', 1],
  [`${RULE}.for`]: ['1m', '2m'],
  [`${RULE}.keep_firing_for`]: ['1m', '2m'],
  [`${RULE}.labels{}`]: ['a', 'b'],
  [`${RULE}.annotations{}`]: ['a', 'b'],
};

/** A definition of one kind, the first in a file of its own. */
function definitionOf(folder: string, kind: string): string {
  const path = join(folder, `${kind}.yaml`);
  const all = readManifests(definition);
  const isOf = (one: JsonObject): boolean => textAt(one, 'spec', 'names', 'kind') === kind;
  const documents = [...all.filter(isOf), ...all.filter((one) => !isOf(one))];
  writeFileSync(path, documents.map((one) => stringify(one)).join('---\n'));
  return path;
}

const EXPRESSION = { matchExpressions: [{ key: 'a', operator: 'In', values: ['a'] }] };

describe('each field, set, changed and removed, has an effect or is refused', LIMIT, () => {
  it.each([
    ['ServiceMonitor', 'endpoints', MONITOR],
    ['PodMonitor', 'podMetricsEndpoints', PODS],
  ] as const)('of a %s', async (kind, list, base) => {
    using folder = temporaryFolder();
    const endpoint = `spec.${list}[]`;
    const spec = specOf(base);
    const values = {
      ...MONITOR_VALUES,
      ...(kind === 'ServiceMonitor' && { 'spec.targetLabels[]': ['a', 'b'] as const }),
      ...Object.fromEntries(Object.entries(ENDPOINT_VALUES).map(([field, two]) => [`${endpoint}.${field}`, two])),
    };
    const rename = [{ sourceLabels: ['x'], targetLabel: 'y' }];
    const bases = {
      'spec.selector.matchExpressions': { ...base, spec: { ...spec, selector: EXPRESSION } },
      // A modulus without this action is none.
      ...Object.fromEntries(
        ['relabelings', 'metricRelabelings'].flatMap((rules) => [
          [`${endpoint}.${rules}`, { ...base, spec: { ...spec, [list]: [{ port: 'web', [rules]: rename }] } }],
          [
            `${endpoint}.${rules}[].modulus`,
            {
              ...base,
              spec: { ...spec, [list]: [{ port: 'web', [rules]: [{ ...rename[0], action: 'hashmod', modulus: 5 }] }] },
            },
          ],
        ]),
      ),
    };

    const swept = await fieldSweep({
      world: { ...world, objects: [BASE] },
      definition: definitionOf(folder.path, kind),
      base,
      bases,
      values,
    });

    expect(withoutEffect(swept)).toEqual([]);
    expect(swept.length).toBeGreaterThan(80);
  });

  it('of a PrometheusRule', async () => {
    using folder = temporaryFolder();
    const rules = (one: JsonObject): JsonObject => ({ ...RULES, spec: { groups: [{ name: 'g', rules: [one] }] } });
    const alert = rules({ alert: 'A', expr: 'up' });

    const swept = await fieldSweep({
      world: { ...world, objects: [BASE] },
      definition: definitionOf(folder.path, 'PrometheusRule'),
      base: RULES,
      bases: Object.fromEntries(
        ['alert', 'for', 'keep_firing_for', 'annotations'].map((field) => [`${RULE}.${field}`, alert]),
      ),
      values: RULE_VALUES,
    });

    expect(withoutEffect(swept)).toEqual([]);
    expect(swept.length).toBeGreaterThan(25);
  });
});

function specOf({ spec }: JsonObject): JsonObject {
  return isJsonObject(spec) ? spec : {};
}
