import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { selectedItems, type Sources } from '../../examples/340-prometheus/hooks/lib/items.ts';
import { pack } from '../../examples/340-prometheus/hooks/lib/packing.ts';
import { MAX_FILE_BYTES, ruleFiles } from '../../examples/340-prometheus/hooks/lib/rule-files.ts';
import { specProblems } from '../../examples/340-prometheus/hooks/lib/spec-problems.ts';
import { stored } from '../../examples/340-prometheus/hooks/lib/own-status.ts';
import { refusalOf, SHAPE_ANNOTATION, storageStep } from '../../examples/340-prometheus/hooks/lib/storage.ts';
import { childrenOf } from '../../examples/340-prometheus/hooks/lib/workload.ts';
import { bytesOf } from '../../examples/340-prometheus/hooks/lib/quantity.ts';
import { examplesDir, readManifests } from '../support/example-rig.ts';
import { leavesOf } from './kit/schema-leaves.ts';
import { prometheus, ruleSource, rules, serviceMonitor } from './prometheus-objects.ts';

const claim = (storage: string, storageClassName?: string) => ({
  resources: { requests: { storage } },
  ...(storageClassName !== undefined && { storageClassName }),
});
const spec = (size: string) => ({ storage: { volumeClaimTemplate: { spec: claim(size) } } });
const live = (size: string | undefined, more: object = { annotations: { [SHAPE_ANNOTATION]: 'shape' } }) => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: {
    name: 'prometheus-main',
    uid: 'set',
    resourceVersion: '1',
    creationTimestamp: '',
    ...more,
  },
  spec: size === undefined ? {} : { volumeClaimTemplates: [{ spec: { ...claim(size), volumeMode: 'Filesystem' } }] },
});

describe('a configuration', () => {
  it('of 3 MB of rules is in several ConfigMaps, none above 1 MiB, and lacks none (prometheus-operator#4832)', () => {
    const items = Array.from({ length: 30 }, (_, index) => rules(`r${index}`, { groups: 10, bytes: 10_000 }));

    const { configuration, leftOut } = pack(prometheus(), items);

    expect(leftOut).toEqual([]);
    expect(configuration.ruleFiles).toHaveLength(30);
    expect(configuration.parts.flat()).toHaveLength(31);
    const sizes = configuration.parts.map((files) =>
      Buffer.byteLength(JSON.stringify(files.map(({ content }) => content))),
    );
    expect(sizes.length).toBeGreaterThanOrEqual(4);
    expect(Math.max(...sizes)).toBeLessThan(1024 * 1024);
  });

  it('takes one PrometheusRule of 600 KB, and splits one of 1.4 MB between its groups (prometheus-operator#6478)', () => {
    expect(ruleFiles(ruleSource('large', { bytes: 600_000 })).files).toHaveLength(1);
    expect(ruleFiles(ruleSource('larger', { groups: 14, bytes: 100_000 })).files).toHaveLength(2);
  });

  it('leaves out a group above 900,000 bytes alone, and says what to do', () => {
    const item = rules('giant', { bytes: 1_000_000 });

    expect(item.problem).toMatch(/^the group "giant-0" has 10000\d\d bytes, at most 900000 fit into one object: split/);
    expect(MAX_FILE_BYTES).toBe(900_000);
  });

  it('that has no room for all monitors has room for the first ones (prometheus-operator#4702)', () => {
    const items = Array.from({ length: 1500 }, (_, index) => serviceMonitor(`m${index}`));

    const { configuration, leftOut } = pack(prometheus(), items);

    expect(configuration.items.length + leftOut.length).toBe(1500);
    expect(configuration.items.length).toBeGreaterThan(500);
    expect(leftOut[0]).toMatchObject({ reason: 'TooLarge', message: expect.stringContaining('spread them over two') });
  });

  it('has another hash as soon as a rule or a monitor is another one, and the same for the same', () => {
    const hash = (...items: Parameters<typeof pack>[1]) => pack(prometheus(), items).configuration.hash;

    expect(hash(rules('a'))).toBe(hash(rules('a')));
    expect(new Set([hash(), hash(rules('a')), hash(rules('a', { expr: 'up' })), hash(serviceMonitor('a'))]).size).toBe(
      4,
    );
  });
});

it('what is watched is changed by nothing (prometheus-operator#3105)', () => {
  const source = frozen({ ...ruleSource('r', { groups: 14, bytes: 100_000 }), bindings: null });
  const monitor = frozen(serviceMonitor('m', { port: 'web', relabelings: [{ regex: 'a' }], params: { a: ['b'] } }));
  const owner = frozen(prometheus({ ruleSelector: {}, replicas: 2, ...spec('2Gi') }));
  const sources = { serviceMonitors: [], podMonitors: [], rules: [source], namespaces: [] };

  const items = selectedItems(owner, frozen(sources));
  const { configuration } = pack(owner, frozen([monitor, ...items]));

  expect(items).toHaveLength(1);
  expect(childrenOf(owner, frozen(configuration), claim('2Gi'))).toHaveLength(4);
  expect(storageStep(owner, frozen({ live: live('1Gi'), claims: [], shape: 'shape' }))).toMatchObject({
    step: 'release',
  });
});

/** The same, of which a change throws. */
function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

describe('what is selected', () => {
  const sources: Sources = {
    serviceMonitors: [],
    podMonitors: [],
    rules: ['shop', 'other'].map((namespace) => ({
      ...ruleSource('r'),
      metadata: { ...ruleSource('r').metadata, namespace, labels: { team: namespace } },
    })),
    namespaces: [
      { name: 'shop', labels: { env: 'a' } },
      { name: 'other', labels: { env: 'b', 'monitoring.example.hooklet.dev/selectable-by': 'shop' } },
    ],
  };
  const found = (fields: object, from = sources) =>
    selectedItems(prometheus(fields), from).map(({ source }) => source.metadata.namespace);

  it.each([
    [{}, []],
    [{ ruleSelector: {} }, ['shop']],
    [{ ruleSelector: {}, ruleNamespaceSelector: {} }, ['other', 'shop']],
    [{ ruleSelector: {}, ruleNamespaceSelector: { matchLabels: { env: 'b' } } }, ['other']],
    [{ ruleSelector: { matchLabels: { team: 'other' } } }, []],
    [
      {
        ruleSelector: { matchExpressions: [{ key: 'team', operator: 'NotIn', values: ['shop'] }] },
        ruleNamespaceSelector: {},
      },
      ['other'],
    ],
  ])('by %j', (fields, namespaces) => {
    expect(found(fields)).toEqual(namespaces);
  });

  it.each([
    [undefined, ['shop']],
    ['shop', ['other', 'shop']],
    ['Any', ['other', 'shop']],
    ['any', ['shop']],
    ['other', ['shop']],
  ])('of another namespace is what its label %j lets the Prometheus select', (value, namespaces) => {
    const labels = value === undefined ? {} : { 'monitoring.example.hooklet.dev/selectable-by': value };
    const from = { ...sources, namespaces: [{ name: 'shop' }, { name: 'other', labels }] };

    expect(found({ ruleSelector: {}, ruleNamespaceSelector: {} }, from)).toEqual(namespaces);
  });
});

type Live = Parameters<typeof storageStep>[1]['live'];

function stepOf(size: string | undefined, set: Live, claims: Parameters<typeof storageStep>[1]['claims']) {
  return storageStep(prometheus(size === undefined ? {} : spec(size)), { live: set, claims, shape: 'shape' });
}

describe('the volumes', () => {
  const small = [
    { name: 'data-0', request: '1Gi' },
    { name: 'data-1', request: '2Gi' },
  ];

  it('grow claim by claim, then the StatefulSet is made anew (prometheus-operator#3875, #5289)', () => {
    const large = small.map(({ name }) => ({ name, request: '2Gi' }));

    expect(stepOf('2Gi', live('1Gi'), small)).toMatchObject({
      step: 'grow',
      claims: ['data-0'],
    });
    expect(stepOf('2Gi', live('1Gi'), large)).toEqual({ step: 'release', uid: 'set' });
    // What else was changed is not in it yet.
    expect(stepOf('2Gi', live('1Gi', {}), large)).toEqual({ step: 'try', claim: claim('1Gi') });
    expect(stepOf('2Gi', undefined, large)).toEqual({ step: 'keep', claim: claim('2Gi') });
    expect(stepOf('2Gi', live('2Gi'), large)).toEqual({ step: 'keep', claim: claim('2Gi') });
  });

  it('that outlived an earlier Prometheus grow too', () => {
    const grow = { step: 'grow', claims: ['data-0'], size: '2Gi', claim: claim('2Gi') };

    expect(stepOf('2Gi', undefined, small)).toEqual(grow);
    expect(stepOf('2Gi', live('2Gi'), small)).toEqual(grow);
  });

  it('are not looked at while the StatefulSet is being deleted, so it is deleted once (prometheus-operator PR#4504)', () => {
    expect(stepOf('2Gi', live('1Gi', { deletionTimestamp: '2026-01-01T00:00:00Z' }), [])).toEqual({ step: 'wait' });
  });

  it('of 1024Mi are as large as those of 1Gi', () => {
    expect(stepOf('1024Mi', live('1Gi'), small)).toEqual({ step: 'keep', claim: claim('1Gi') });
    expect([bytesOf('1.5Gi'), bytesOf('-1Gi'), bytesOf('0'), bytesOf('x'), bytesOf('1e3')]).toEqual([
      1_610_612_736,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('do not shrink, and a missing size is no size of 0 (rabbitmq#2023)', () => {
    const refused = (wanted: Parameters<typeof refusalOf>[0], current: Parameters<typeof refusalOf>[1]) =>
      refusalOf(wanted, current);

    expect(refused(claim('1Gi'), claim('2Gi'))).toContain('no volume can shrink, so ask for 2Gi or more');
    expect(refused(undefined, claim('2Gi'))).toContain('it cannot be removed');
    expect(refused(claim('1Gi'), undefined)).toContain('that was made without');
    expect(refused(claim('1Gi', 'fast'), claim('1Gi', 'slow'))).toContain('got the class fast');
    expect(refused(claim('1Gi'), claim('1Gi', 'slow'))).toBeUndefined();
  });
});

it('whose Prometheus has no storage is told that samples go with a Pod (etcd-io#470)', () => {
  const told = stored(stepOf(undefined, live(undefined), []));

  expect(told).toMatchObject({
    status: 'True',
    reason: 'NothingKept',
    message: expect.stringContaining('spec.storage'),
  });
});

it.each(['0', '15d', '365d', '1y', '2w', '1h30m', '90s', '100ms'])(
  'the duration %s is one (etcd-io PR#394)',
  (text) => {
    const durations = { retention: text, scrapeInterval: text, scrapeTimeout: text, evaluationInterval: text };

    expect(specProblems(prometheus({ ...durations, retentionSize: '40GB' }))).toEqual([]);
  },
);

it.each(['300y', '99999999999y', '60y2400w', '9999999999999999999999s', ''])(
  'the duration %j is none, since no Prometheus starts with it',
  (text) => {
    for (const field of ['retention', 'scrapeInterval', 'scrapeTimeout', 'evaluationInterval']) {
      expect(specProblems(prometheus({ [field]: text }))).toEqual([expect.stringContaining(`spec.${field}: got`)]);
    }
  },
);

it.each([
  ['40GB', true],
  ['512000000B', true],
  ['7EB', true],
  ['8EB', false],
  ['8192PB', false],
  ['99999999999999999999EB', false],
  ['9999999999999999999999B', false],
])('the size %s is one: %s', (retentionSize, isOne) => {
  expect(specProblems(prometheus({ retentionSize })).length === 0).toBe(isOne);
});

describe('the README', () => {
  const readme = readFileSync(join(examplesDir, '340-prometheus', 'README.md'), 'utf8');
  const definitions = readManifests(join(examplesDir, '340-prometheus', 'manifests', 'crds.yaml'));

  it('names every field of every definition', () => {
    const fields = definitions.flatMap((one) =>
      leavesOf(one).flatMap(({ path }) =>
        path
          .split('.')
          .slice(1)
          .map((part) => part.replaceAll(/[[\]{}]/g, '')),
      ),
    );

    // A selector is what it is everywhere in Kubernetes.
    const known = new Set(['matchLabels', 'matchExpressions', 'key', 'operator', 'values']);
    const missing = new Set(fields.filter((field) => !known.has(field)));
    expect([...missing].filter((field) => !new RegExp(`[\`.]${field}[\`.[]`).test(readme))).toEqual([]);
    expect(new Set(fields).size).toBeGreaterThan(60);
  });
});
