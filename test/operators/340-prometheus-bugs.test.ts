import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '@hooklet/sandbox';
import { objectsAt, textAt } from '@hooklet/sandbox/testing';
import { openWorld } from '../../src/testing/index.ts';
import type { Happened, TestWorld, WorldOptions } from '../../src/testing/public.ts';
import { examplesDir } from '../support/example-rig.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { playControllers } from './kit/play-controllers.ts';
import { promtoolFolder } from './prometheus-programs.ts';

const example = join(examplesDir, '340-prometheus');
const programs = join(example, 'scenarios', 'programs');
const promtool = promtoolFolder();
const API = 'monitoring.example.hooklet.dev/v1';
const PROMETHEUS = { apiVersion: API, kind: 'Prometheus', metadata: { name: 'main', namespace: 'default' } };
const SET = {
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'prometheus-main', namespace: 'default' },
};
const LABELS = { 'monitoring.example.hooklet.dev/prometheus': 'main' };
const storage = (size: string): JsonObject => ({
  volumeClaimTemplate: { spec: { resources: { requests: { storage: size } } } },
});
const rule = (expr: string): JsonObject => ({
  apiVersion: API,
  kind: 'PrometheusRule',
  metadata: { name: 'rule', namespace: 'default' },
  spec: { groups: [{ name: 'g', rules: [{ record: 'a', expr }] }] },
});

/** A world without the webhook, which sees what it would have refused. */
async function open(spec: JsonObject, { objects = [], ...more }: WorldOptions = {}): Promise<TestWorld> {
  return openWorld({
    limitMs: 120_000,
    hooks: [join(example, 'hooks', 'prometheus.ts')],
    programs,
    crds: join(example, 'manifests', 'crds.yaml'),
    ...more,
    objects: [...objects, { ...PROMETHEUS, spec: { ruleSelector: {}, ...spec } }],
  });
}

/** A Pod that runs, and a claim with this size. */
function running(size?: string): readonly JsonObject[] {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'prometheus-main-0', namespace: 'default', labels: LABELS },
    spec: { containers: [{ name: 'prometheus', image: 'a' }] },
    status: { podIP: '192.0.2.1', containerStatuses: [{ restartCount: 0, state: { running: {} } }] },
  };
  if (size === undefined) return [pod];
  const claim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data-prometheus-main-0', namespace: 'default', labels: LABELS },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: size } } },
  };
  return [pod, claim];
}

async function conditionOf(world: TestWorld, type: string, object: object = PROMETHEUS): Promise<JsonObject> {
  const found = await world.get(object);
  const all = [
    ...objectsAt(found, 'status', 'conditions'),
    ...objectsAt(found, 'status', 'bindings').flatMap((one) => objectsAt(one, 'conditions')),
  ];
  return all.find((one) => one['type'] === type) ?? {};
}

async function eventsOf(world: TestWorld, reason: string): Promise<readonly JsonObject[]> {
  return (await world.list({ kind: 'Event' })).filter((one) => one['reason'] === reason);
}

function deletesIn(done: Happened): readonly string[] {
  const deletes = done.writes().filter(({ verb }) => verb === 'delete');
  return deletes.map(({ object, before }) => `${object.kind} ${textAt(before, 'metadata', 'uid')}`);
}

function reloadsIn(done: Happened): number {
  return done.calls().filter(({ args }) => args.at(-1)?.endsWith('/-/reload')).length;
}

async function setOf(world: TestWorld): Promise<JsonObject> {
  return (await world.get(SET)) ?? {};
}

describe('a Prometheus that refuses a reload', { timeout: 300_000 }, () => {
  it('goes on with what it had, is told once, is asked at most 30 times in an hour, and takes it later', async () => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, 'refuse'), '');
    await using world = await open({}, { objects: running(), env: { STATE: folder.path } });
    await playControllers(world);
    const before = await setOf(world);

    const hour = await world.tick('1h');

    const refused = { status: 'False', reason: 'ReloadRefused' };
    expect(await conditionOf(world, 'Loaded')).toMatchObject(refused);
    expect(textAt(await conditionOf(world, 'Loaded'), 'message')).toBe('prometheus-main-0: failed to reload config');
    expect(await eventsOf(world, 'ReloadRefused')).toMatchObject([{ type: 'Warning', count: 1 }]);
    expect(reloadsIn(hour)).toBeGreaterThan(10);
    expect(reloadsIn(hour)).toBeLessThanOrEqual(30);
    expect(hour.writes().filter(({ object }) => object.kind !== 'Prometheus')).toEqual([]);
    expect(await setOf(world)).toEqual(before);

    const config = textAt(await world.get(PROMETHEUS), 'status', 'config');
    writeFileSync(join(folder.path, 'volume'), `/etc/prometheus/config/marked-${config}-`);
    rmSync(join(folder.path, 'refuse'));
    await world.tick('10m');
    expect(await conditionOf(world, 'Loaded')).toMatchObject({ status: 'True', reason: 'Verified' });
  });
});

describe('bugs of other operators', { timeout: 300_000 }, () => {
  it('a fix is not held back by Pods that only the fix can make ready (etcd-druid#818)', async () => {
    await using world = await open({ image: 'registry.example.com/broken:1' });
    expect(await conditionOf(world, 'Ready')).toMatchObject({ status: 'False' });

    await world.patch({ ...PROMETHEUS, spec: { image: 'registry.example.com/good:1' } });

    const { spec } = await setOf(world);
    expect(spec).toMatchObject({
      podManagementPolicy: 'Parallel',
      template: { spec: { containers: [{ image: 'registry.example.com/good:1' }] } },
    });
  });

  it('one that an older version refused is looked at by a newer one, without a change (cozystack#159)', async () => {
    using folder = temporaryFolder();
    const hooks = join(folder.path, 'hooks');
    cpSync(join(example, 'hooks'), hooks, { recursive: true, filter: (path) => !path.endsWith('admission.ts') });
    const checks = join(hooks, 'lib', 'spec-problems.ts');
    const text = readFileSync(checks, 'utf8');
    writeFileSync(checks, text.replace(String.raw`/^\d+\.\d+\.\d+$/`, String.raw`/^2\.\d+\.\d+$/`));
    await using world = await open({ version: '3.13.5' }, { hooks });
    expect(await conditionOf(world, 'Ready')).toMatchObject({ status: 'False', reason: 'SpecRefused' });

    writeFileSync(checks, text);
    await world.restart('1m');
    await playControllers(world);

    expect(await setOf(world)).toMatchObject({
      spec: { template: { spec: { containers: [{ image: 'prom/prometheus:v3.13.5' }] } } },
    });
    expect(await conditionOf(world, 'Ready')).toMatchObject({ status: 'True' });
  });

  it('a StatefulSet that could not be made anew is not deleted, and is when it could (clickhouse-operator#1420)', async () => {
    await using world = await open({ storage: storage('1Gi') }, { objects: running('1Gi') });
    await playControllers(world);
    const before = await setOf(world);
    await world.fault({ type: 'status', code: 422, method: 'PATCH', pattern: '/statefulsets/' });

    const changed = await world.patch({
      ...PROMETHEUS,
      spec: { storage: storage('2Gi'), nodeSelector: { disk: 'no label!' } },
    });
    const later = await world.tick('1m');

    expect([...deletesIn(changed), ...deletesIn(later)]).toEqual([]);
    expect(await setOf(world)).toEqual(before);
    expect(await conditionOf(world, 'Ready')).toMatchObject({ status: 'False' });

    await world.fault('none');
    await world.patch({ ...PROMETHEUS, spec: { nodeSelector: null } });
    await world.tick('10m');
    expect(await setOf(world)).toMatchObject({
      spec: { volumeClaimTemplates: [{ spec: { resources: { requests: { storage: '2Gi' } } } }] },
    });
    expect(await conditionOf(world, 'Stored')).toMatchObject({ status: 'True' });
  });

  it('one that is long in going is deleted once, and made anew when it is gone (prometheus-operator PR#4504, prometheus-operator PR#8309)', async () => {
    await using world = await open({ storage: storage('1Gi') }, { objects: running('1Gi') });
    await playControllers(world);
    const uid = textAt(await setOf(world), 'metadata', 'uid');
    await world.patch({ ...SET, metadata: { ...SET.metadata, finalizers: ['example.com/slow'] } });

    const changed = await world.patch({ ...PROMETHEUS, spec: { storage: storage('2Gi') } });
    const later = await world.tick('2m');

    expect([...deletesIn(changed), ...deletesIn(later)]).toEqual([`StatefulSet ${uid}`]);
    expect(textAt(await setOf(world), 'metadata', 'uid')).toBe(uid);
    await world.patch({ ...SET, metadata: { ...SET.metadata, finalizers: null } });
    await playControllers(world);
    expect(textAt(await setOf(world), 'metadata', 'uid')).not.toBe(uid);
    expect(await conditionOf(world, 'Ready')).toMatchObject({ status: 'True' });
  });
});

describe('a ConfigMap of the name that a Prometheus needs', { timeout: 300_000 }, () => {
  const MAP = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'prometheus-main-0', namespace: 'default' } };

  it('is left as it is where it belongs to somebody else, which is told, and is put back where it was changed', async () => {
    await using world = await open({}, { objects: [{ ...MAP, data: { mine: 'x' } }] });

    expect(await world.get(MAP)).toMatchObject({ data: { mine: 'x' } });
    expect(await conditionOf(world, 'Ready')).toMatchObject({
      status: 'False',
      message: expect.stringContaining('prometheus-main-0'),
    });

    await world.delete(MAP);
    await world.tick('10m');
    const own = await world.get(MAP);
    expect(own).toMatchObject({ data: { 'prometheus.yml': expect.stringContaining('rule_files') } });
    await world.patch({ ...MAP, data: { 'prometheus.yml': 'somebody: else' } });
    expect((await world.get(MAP))?.['data']).toEqual(own?.['data']);
  });
});

describe.skipIf(promtool === undefined)('the webhook', { timeout: 300_000 }, () => {
  it('answers in less than its 10 s about a rule of 2.5 MB, with the sentence of promtool', async () => {
    const path = process.env['PATH'];
    process.env['PATH'] = `${promtool?.folder}${delimiter}${path}`;
    onTestFinished(() => {
      process.env['PATH'] = path;
      promtool?.[Symbol.dispose]();
    });
    await using world = await openWorld({
      limitMs: 120_000,
      hooks: join(example, 'hooks'),
      crds: join(example, 'manifests', 'crds.yaml'),
    });
    const groups = Array.from({ length: 25 }, (_, index) => ({
      name: `g${index}`,
      rules: [{ alert: 'A', expr: index === 24 ? 'sum(up' : 'up', annotations: { text: 'x'.repeat(100_000) } }],
    }));
    const begin = performance.now();

    const { answer } = await world.admit({ object: { ...rule(''), spec: { groups } } });

    expect(performance.now() - begin).toBeLessThan(10_000);
    expect(answer).toMatchObject({
      code: 403,
      body: { message: expect.stringContaining('unclosed left parenthesis') },
    });
  });
});

/** What goes wrong, and what must be said of it. */
interface Failure {
  readonly reason: string;
  readonly type: string;
  readonly message: string;
  readonly spec?: JsonObject;
  readonly rule?: JsonObject;
  readonly promtool?: string;
}

const FAILURES: readonly Failure[] = [
  {
    reason: 'SpecRefused',
    type: 'Ready',
    message: 'spec.storage: got "-1Gi"',
    spec: { storage: storage('-1Gi') },
  },
  {
    reason: 'ConfigurationRefused',
    type: 'Ready',
    message: 'there is BROKEN in it',
    spec: { externalLabels: { a: 'BROKEN' } },
  },
  { reason: 'SomeLeftOut', type: 'Complete', message: 'PrometheusRule default/rule', rule: rule('BROKEN') },
  { reason: 'Refused', type: 'Accepted', message: 'there is BROKEN in it', rule: rule('BROKEN') },
  {
    reason: 'NotChecked',
    type: 'Ready',
    message: 'promtool gave no answer',
    promtool: '#!/bin/sh\nkill -9 $$\n',
  },
  {
    reason: 'NotChecked',
    type: 'Ready',
    message: 'this promtool was built without the discovery of Kubernetes, as that of Debian is: use that of',
    rule: rule('up'),
    promtool: `#!/bin/sh
echo "  FAILED: parsing YAML file a: line 10: field kubernetes_sd_configs not found in type config.ScrapeConfig"
exit 1
`,
  },
];

describe('each failure is told by a condition and a Warning Event (etcd-io PR#395)', () => {
  it.each(FAILURES)('$reason', { timeout: 120_000 }, async ({ reason, type, message, spec = {}, ...more }) => {
    using folder = temporaryFolder();
    const stand = join(folder.path, 'programs');
    mkdirSync(stand);
    cpSync(programs, stand, { recursive: true });
    if (more.promtool !== undefined) {
      writeFileSync(join(stand, 'promtool'), more.promtool);
      chmodSync(join(stand, 'promtool'), 0o755);
    }
    const objects = more.rule === undefined ? [] : [more.rule];
    await using world = await open(spec, { objects, programs: stand });

    const on = type === 'Accepted' ? rule('') : PROMETHEUS;
    const told = { status: 'False', reason, message: expect.stringContaining(message) };
    expect(await conditionOf(world, type, on)).toMatchObject(told);
    const [event] = await eventsOf(world, reason);
    expect(event).toMatchObject({ type: 'Warning', message: expect.stringContaining(message) });
  });
});
