import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { JsonObject } from '@hooklet/sandbox';
import { objectAt, objectsAt, textAt, textsAt } from '@hooklet/sandbox/testing';
import { openWorld } from '../../src/testing/index.ts';
import type { TestWorld } from '../../src/testing/public.ts';
import { examplesDir, readManifests } from '../support/example-rig.ts';
import { ROUTES } from './gateway-routes.ts';
import { playControllers } from './kit/play-controllers.ts';

const folder = join(examplesDir, '330-static-website');
const [CONTENT = {}, SITE = {}] = readManifests(join(folder, 'manifests', 'try', 'web-site.yaml'));
const DEPLOYMENT = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'docs' } };

/** A world with the site of the example, not rolled out. */
async function open(objects: readonly JsonObject[] = [CONTENT, SITE]): Promise<TestWorld> {
  return openWorld({
    limitMs: 120_000,
    hooks: join(folder, 'hooks'),
    programs: join(folder, 'scenarios', 'programs'),
    crds: join(folder, 'manifests', 'crd.yaml'),
    objects,
  });
}

async function readyOf(world: TestWorld): Promise<JsonObject> {
  const [ready = {}] = objectsAt(await world.get(SITE), 'status', 'conditions');
  return ready;
}

async function deploymentOf(world: TestWorld): Promise<JsonObject> {
  return (await world.get(DEPLOYMENT)) ?? {};
}

const HASH = ['spec', 'template', 'metadata', 'annotations', 'web.example.hooklet.dev/content'] as const;

describe('bugs of other operators', { timeout: 300_000 }, () => {
  it('cass-operator#118: a site that is deleted and made anew under its name keeps nothing of the one before', async () => {
    await using world = await open();
    await playControllers(world);
    const before = await deploymentOf(world);
    await world.delete(SITE);
    await world.apply(SITE);
    await playControllers(world);

    const [owner] = objectsAt(await deploymentOf(world), 'metadata', 'ownerReferences');
    expect(textAt(owner, 'uid')).toBe(textAt(await world.get(SITE), 'metadata', 'uid'));
    expect(textAt(await deploymentOf(world), 'metadata', 'uid')).not.toBe(textAt(before, 'metadata', 'uid'));
    expect(await readyOf(world)).toMatchObject({ status: 'True' });
  });

  it('etcd-druid#818: a fix is not held back by Pods that only the fix can make ready, and what holds them back is told', async () => {
    await using world = await open();
    const before = textAt(await deploymentOf(world), ...HASH);
    const conditions = [
      { type: 'Progressing', status: 'False', message: 'ReplicaSet "docs" has timed out progressing.' },
    ];
    const status = { observedGeneration: 1, replicas: 1, updatedReplicas: 1, conditions };
    await world.patch({ ...DEPLOYMENT, status }, 'status');

    expect(await readyOf(world)).toMatchObject({
      reason: 'RollingOut',
      message:
        '1 of 1 Pods have the content of the spec, 0 are available: ReplicaSet "docs" has timed out progressing.',
    });
    await world.patch({ ...CONTENT, data: { 'index.html': 'better' } });
    expect(textAt(await deploymentOf(world), ...HASH)).not.toBe(before);
    await playControllers(world);
    expect(await readyOf(world)).toMatchObject({ status: 'True' });
  });

  it('cozystack#159: a site that failed is looked at again after an upgrade of the operator, without a change of it', async () => {
    await using world = await open([SITE]);
    expect(await readyOf(world)).toMatchObject({ status: 'False', reason: 'ContentRefused' });

    expect((await world.restart()).runs()).toMatchObject([{ outcome: 'succeeded' }]);
    await world.apply(CONTENT);
    await playControllers(world);
    expect(await readyOf(world)).toMatchObject({ status: 'True' });
  });

  it('rabbitmq#2023, prometheus-operator#3875: missing replicas are 1 and never 0, and the selector is the same whatever changes', async () => {
    await using world = await open();
    const { selector } = Object((await deploymentOf(world))['spec']);
    await world.patch({ ...SITE, spec: { replicas: 3 } });
    expect(await deploymentOf(world)).toMatchObject({ spec: { replicas: 3, selector } });
    await world.patch({ ...SITE, spec: { replicas: null } });

    expect(await deploymentOf(world)).toMatchObject({ spec: { replicas: 1, selector } });
  });

  it('clickhouse-operator#1420: no Deployment and no Service is ever deleted by the operator, which has no right to', () => {
    const roles = readManifests(join(folder, 'manifests', 'deploy.yaml')).filter(({ kind }) => kind === 'Role');
    const deleting = roles
      .flatMap((role) => objectsAt(role, 'rules'))
      .filter((one) => textsAt(one, 'verbs').includes('delete'));

    expect(deleting.flatMap((one) => textsAt(one, 'resources'))).toEqual(['configmaps', 'ingresses', 'httproutes']);
  });

  it('rabbitmq#782, etcd-io#193: a change is resumed after a kill, and Pods that are gone change no number', async () => {
    await using world = await open();
    await playControllers(world);
    await world.patch({ ...SITE, spec: { replicas: 3 } });
    await world.restart('1m');
    const status = { observedGeneration: 2, replicas: 1, updatedReplicas: 1, availableReplicas: 0 };
    await world.patch({ ...DEPLOYMENT, status }, 'status');

    expect(await deploymentOf(world)).toMatchObject({ spec: { replicas: 3 } });
    await playControllers(world);
    expect(await readyOf(world)).toMatchObject({ status: 'True' });
  });

  it('etcd-io PR#394: the WebSites of the README and of manifests/try are taken as they stand', async () => {
    await using world = await open([]);
    const readme = readFileSync(join(folder, 'README.md'), 'utf8');
    const [, example = ''] = /```yaml\n([^]*?)```/.exec(readme) ?? [];
    const documented: JsonObject = parse(example);
    const answers = [];
    for (const one of [documented, SITE]) {
      const object = { ...one, metadata: { ...objectAt(one, 'metadata'), namespace: 'default' } };
      answers.push((await world.admit({ object })).answer);
    }

    expect(documented['kind']).toBe('WebSite');
    expect(answers).toEqual([expect.objectContaining({ code: 201 }), expect.objectContaining({ code: 201 })]);
  });

  it('etcd-io PR#395, prometheus-operator#3335: a bad site has condition and Event from its first look, and stops no other', async () => {
    const bad = { ...SITE, metadata: { name: 'bad' }, spec: { configMap: 'none' } };
    await using world = await open([bad, CONTENT, SITE]);
    await playControllers(world);

    const [told = {}] = objectsAt(await world.get(bad), 'status', 'conditions');
    expect(told).toMatchObject({ type: 'Ready', status: 'False', reason: 'ContentRefused' });
    const events = await world.list({ kind: 'Event' });
    expect(events).toContainEqual(expect.objectContaining({ reason: 'ContentRefused', type: 'Warning' }));
    expect(await readyOf(world)).toMatchObject({ status: 'True' });
  });

  it('K8SPXC-896, prometheus-operator PR#8309: what somebody took from the Deployment is there again, and so is the whole', async () => {
    await using world = await open();
    const security = ['spec', 'template', 'spec', 'securityContext'] as const;
    const before = objectAt(await deploymentOf(world), ...security);
    await world.patch({ ...DEPLOYMENT, spec: { template: { spec: { securityContext: { runAsNonRoot: false } } } } });
    expect(before).toMatchObject({ runAsNonRoot: true });
    expect(objectAt(await deploymentOf(world), ...security)).toEqual(before);

    const uid = textAt(await deploymentOf(world), 'metadata', 'uid');
    await world.delete(DEPLOYMENT);
    expect(textAt(await deploymentOf(world), 'metadata', 'uid')).not.toBe(uid);
    expect(objectAt(await deploymentOf(world), ...security)).toEqual(before);
  });

  it('prometheus-operator PR#4504, k8up#86: content that is slow to go is deleted once, and what a Pod needs is made again', async () => {
    await using world = await open();
    await playControllers(world);
    const isKept = (one: JsonObject): boolean => one['immutable'] === true;
    const [first = {}] = (await world.list({ kind: 'ConfigMap' })).filter(isKept);
    const name = textAt(first, 'metadata', 'name');
    const kept = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'default' } };
    await world.delete(kept);
    expect(await world.get(kept)).toBeDefined();

    await world.patch({ ...kept, metadata: { ...kept.metadata, finalizers: ['example.com/slow'] } });
    const all = [await world.patch({ ...CONTENT, data: { 'index.html': 'another' } })];
    await playControllers(world);
    all.push(await world.tick('10m'), await world.again());
    const deletions = all
      .flatMap((done) => done.writes())
      .filter(({ verb, object }) => verb === 'delete' && object.name === name);
    expect(deletions.length).toBeLessThanOrEqual(1);
  });

  it('cloudnative-pg#7623: a day without the operator is one look at each site, and no write but of its Lease and webhook', async () => {
    await using world = await open();
    await playControllers(world);

    const restarted = await world.restart('24h');

    expect(restarted.runs()).toHaveLength(1);
    const own = ['Lease', 'ValidatingWebhookConfiguration'];
    expect(restarted.writes().filter(({ object }) => !own.includes(object.kind))).toEqual([]);
  });

  it('content that changes while it is rolled out is rolled out next, and that of before is kept until then', async () => {
    await using world = await open();
    await playControllers(world);
    const served = textAt(await world.get(SITE), 'status', 'content');
    for (const page of ['second', 'third']) await world.patch({ ...CONTENT, data: { 'index.html': page } });

    const maps = (await world.list({ kind: 'ConfigMap' })).filter((one) => one['immutable'] === true);
    const hashes = maps.map((one) => textAt(one, 'metadata', 'annotations', 'web.example.hooklet.dev/content'));
    expect(hashes).toHaveLength(2);
    expect(hashes).toContain(served);
    expect(hashes).toContain(textAt(await deploymentOf(world), ...HASH));
    await playControllers(world);
    expect(await readyOf(world)).toMatchObject({ status: 'True' });
  });

  it('of two sites that name one ConfigMap the one that its label does not name is refused, and told how to go on', async () => {
    const other = { ...SITE, metadata: { name: 'other' } };
    await using world = await open([CONTENT, SITE, other]);
    const [told = {}] = objectsAt(await world.get(other), 'status', 'conditions');

    expect(textAt(told, 'message')).toContain(
      'there is no ConfigMap docs-content with the label web.example.hooklet.dev/site=other; make it, or label it so',
    );
    expect(await readyOf(world)).toMatchObject({ reason: 'RollingOut' });
  });

  it('a Service that somebody else owns under the name of a site is not touched, and Ready says whose name is taken', async () => {
    const metadata = { name: 'docs', namespace: 'default' };
    const foreign = { apiVersion: 'v1', kind: 'Service', metadata, spec: { ports: [{ port: 1 }] } };
    await using world = await open([foreign, CONTENT, SITE]);

    expect(await world.get(foreign)).toMatchObject({ spec: { ports: [{ port: 1 }] } });
    expect(textAt(await readyOf(world), 'message')).toMatch(/Service\/docs: /);
  });

  it('a route of the Gateway API waits for it, Ready says so, and it is made when the API is installed', async () => {
    const routed = {
      ...SITE,
      spec: { ...objectAt(SITE, 'spec'), route: { host: 'docs.example.com', gateway: 'web' } },
    };
    await using world = await open([CONTENT, routed]);
    await playControllers(world);
    expect(await readyOf(world)).toMatchObject({ status: 'False' });
    expect(textAt(await readyOf(world), 'message')).toContain(
      'the API server has no kind HTTPRoute of gateway.networking.k8s.io/v1: is its CustomResourceDefinition installed?',
    );

    await world.apply(ROUTES);
    await world.tick('1m');
    await playControllers(world);

    const route = { apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute', metadata: { name: 'docs' } };
    expect(await world.get(route)).toMatchObject({ spec: { hostnames: ['docs.example.com'] } });
    expect(await readyOf(world)).toMatchObject({ status: 'True' });
  });
});
