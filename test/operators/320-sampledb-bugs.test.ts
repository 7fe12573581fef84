import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@hooklet/sandbox';
import { objectAt, objectsAt, textAt } from '@hooklet/sandbox/testing';
import { problemsOf, type SampleDB } from '../../examples/320-sampledb/hooks/lib/spec.ts';
import { openWorld } from '../../src/testing/index.ts';
import type { Happened, TestWorld } from '../../src/testing/public.ts';
import { examplesDir } from '../support/example-rig.ts';
import { playControllers } from './kit/play-controllers.ts';

const folder = join(examplesDir, '320-sampledb');
const DATA = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'shop-data', namespace: 'default' } };
const BACKUPS = { ...DATA, metadata: { name: 'shop-backups', namespace: 'default' } };
const SERVER = { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 'shop', namespace: 'default' } };

function sampleDB(fields: JsonObject = {}, name = 'shop'): JsonObject {
  return {
    apiVersion: 'example.hooklet.dev/v1',
    kind: 'SampleDB',
    metadata: { name, namespace: 'default' },
    spec: { version: '16', secretName: 'passwords', storage: { size: '1Gi' }, ...fields },
  };
}

const SHOP = sampleDB();

/** A world in which the databases are there and ready. */
async function open(...objects: readonly JsonObject[]): Promise<TestWorld> {
  const hooks = [join(folder, 'hooks', 'sampledb.ts')];
  const crds = join(folder, 'manifests', 'crd.yaml');
  const world = await openWorld({ limitMs: 120_000, hooks, crds, objects: objects.length === 0 ? [SHOP] : objects });
  await playControllers(world);
  return world;
}

async function uidOf(world: TestWorld, object: JsonObject): Promise<string> {
  return textAt(await world.get(object), 'metadata', 'uid');
}

async function containerOf(world: TestWorld): Promise<JsonObject> {
  const [container = {}] = objectsAt(await world.get(SERVER), 'spec', 'template', 'spec', 'containers');
  return container;
}

async function conditionOf(world: TestWorld, type: string, object = SHOP): Promise<JsonObject | undefined> {
  return objectsAt(await world.get(object), 'status', 'conditions').find((one) => one['type'] === type);
}

/** How often an object was deleted. */
function deletions(done: Happened, name: string): number {
  return done.writes().filter(({ verb, object }) => verb === 'delete' && object.name === name).length;
}

describe('what can never be, and was stored all the same', { timeout: 240_000 }, () => {
  it.each<readonly [string, JsonObject, string]>([
    ['a crontab of no day', { backup: { schedule: '0 3 30 2 *' } }, 'no backup would ever be taken'],
    ['a negative size', { storage: { size: '-1Gi' } }, 'spec.storage.size: got -1Gi, expected a size above 0'],
    ['an unknown version', { version: '99' }, 'spec.version: got 99, which is unknown; expected PostgreSQL 14 to 18'],
  ])('%s has a condition and one Event that say what to do, and nothing is made of it', async (_, fields, told) => {
    await using world = await open(sampleDB(fields));
    await world.tick('1h');

    expect(await conditionOf(world, 'Ready')).toMatchObject({ status: 'False', reason: 'SpecRefused' });
    expect(textAt(await conditionOf(world, 'Ready'), 'message')).toContain(told);
    const events = (await world.list({ kind: 'Event' })).filter(({ reason }) => reason === 'SpecRefused');
    expect(events).toMatchObject([{ type: 'Warning', message: expect.stringContaining(told) }]);
    expect(await world.list({ kind: 'StatefulSet' })).toEqual([]);
  });
});

describe('bugs of other operators', { timeout: 240_000 }, () => {
  it('cass-operator#118: a database that is deleted and made anew under its name keeps its own new volume', async () => {
    await using world = await open(sampleDB({ onDelete: 'Discard' }));
    const before = await uidOf(world, DATA);
    await world.delete(SHOP);
    await world.apply(SHOP);
    await playControllers(world);
    const after = await uidOf(world, DATA);
    const again = await world.again();

    expect(after).not.toBe(before);
    expect(deletions(again, 'shop-data')).toBe(0);
    expect(await uidOf(world, DATA)).toBe(after);
  });

  it('rabbitmq#782: an upgrade is resumed where an operator that was killed left it', async () => {
    await using world = await open();
    await world.patch({ ...SHOP, spec: { version: '17' } });
    await world.restart('1m');
    await playControllers(world);

    expect(await containerOf(world)).toMatchObject({ image: 'postgres:17' });
    expect(await world.get(SHOP)).toMatchObject({ status: { version: '17' } });
  });

  it('etcd-io#193: a server that somebody scaled to none is there again, since the spec alone counts', async () => {
    await using world = await open();
    await world.patch({ ...SERVER, spec: { replicas: 0 } });

    expect(await world.get(SERVER)).toMatchObject({ spec: { replicas: 1 } });
  });

  it('etcd-druid#818: a version that there is replaces one without an image, although nothing is ready', async () => {
    await using world = await open();
    await world.patch({ ...SHOP, spec: { version: '16.9' } });
    await playControllers(world);
    await world.patch({ ...SERVER, status: { readyReplicas: 0, availableReplicas: 0 } }, 'status');
    await world.patch({ ...SHOP, spec: { version: '16.1' } });

    expect(await containerOf(world)).toMatchObject({ image: 'postgres:16.1' });
  });

  it('cozystack#159: a database that was refused is looked at again by the next version, without a change', async () => {
    await using world = await open(sampleDB({ backup: { schedule: '0 3 30 2 *' } }));
    expect(await conditionOf(world, 'Ready')).toMatchObject({ status: 'False', reason: 'SpecRefused' });

    const restarted = await world.restart('1m');

    expect(restarted.runs()).toMatchObject([{ outcome: 'succeeded' }]);
  });

  it('rabbitmq#2023: a size that is not given is the default, and setting it to that is no shrinking', async () => {
    await using world = await open();
    expect(await world.get(BACKUPS)).toMatchObject({ spec: { resources: { requests: { storage: '1Gi' } } } });

    await world.patch({ ...SHOP, spec: { backup: { size: '1Gi' } } });
    await playControllers(world);

    expect(await conditionOf(world, 'Ready')).toMatchObject({ status: 'True' });
  });

  it('etcd-io PR#394: each value that the README documents is taken', () => {
    const documented = ['17', '17.5', '14', '18'].flatMap((version) =>
      ['0 3 * * *', '@daily'].map((schedule) => ({ version, schedule })),
    );
    const metadata = { name: 'shop', uid: '', resourceVersion: '', creationTimestamp: '' };
    const defaults = { database: 'app', secretName: 'a', storage: { size: '10Gi' }, jobTimeoutSeconds: 3600 };
    const problems = documented.flatMap(({ version, schedule }) => {
      const backup = { size: '1Gi', keep: 7, suspend: false, schedule };
      const spec: SampleDB['spec'] = { ...defaults, version, backup, onDelete: 'Snapshot' };
      return problemsOf({ metadata, spec });
    });

    expect(problems).toEqual([]);
  });

  it('K8SPXC-896: a server whose security somebody took away has it again', async () => {
    await using world = await open();
    const before = objectAt(await world.get(SERVER), 'spec', 'template', 'spec', 'securityContext');
    const securityContext = { runAsNonRoot: false, runAsUser: 0 };
    await world.patch({ ...SERVER, spec: { template: { spec: { securityContext } } } });

    expect(before).toMatchObject({ runAsNonRoot: true });
    expect(objectAt(await world.get(SERVER), 'spec', 'template', 'spec', 'securityContext')).toEqual(before);
  });

  it('prometheus-operator PR#4504: a server that is slow to go is deleted at most once', async () => {
    await using world = await open(sampleDB({ onDelete: 'Discard' }));
    await world.patch({ ...SERVER, metadata: { ...SERVER.metadata, finalizers: ['example.com/slow'] } });
    const deleted = await world.delete(SHOP);
    const later = await world.tick('10m');
    const again = await world.again();

    expect([deleted, later, again].reduce((sum, done) => sum + deletions(done, 'shop'), 0)).toBeLessThanOrEqual(2);
    expect(await world.get(SHOP)).toBeDefined();
    await world.patch({ ...SERVER, metadata: { ...SERVER.metadata, finalizers: null } });
    await world.tick('1m');
    expect(await world.get(SHOP)).toBeUndefined();
  });

  it('prometheus-operator PR#8309: a server that somebody deleted is there again, on the same volume', async () => {
    await using world = await open();
    const [server, volume] = [await uidOf(world, SERVER), await uidOf(world, DATA)];
    await world.delete(SERVER);
    await playControllers(world);

    expect(await uidOf(world, SERVER)).not.toBe(server);
    expect(await uidOf(world, DATA)).toBe(volume);
    expect(await conditionOf(world, 'Ready')).toMatchObject({ status: 'True' });
  });

  it('prometheus-operator#3335: a database with a bad spec stops no other', async () => {
    const bad = sampleDB({ backup: { schedule: '0 3 30 2 *' } }, 'bad');
    await using world = await open(bad, SHOP);

    expect(await conditionOf(world, 'Ready', bad)).toMatchObject({ reason: 'SpecRefused' });
    expect(await conditionOf(world, 'Ready')).toMatchObject({ status: 'True' });
  });

  it('k8up#370: a backup that is stuck has a limit of time, and no other begins beside it', async () => {
    await using world = await open(sampleDB({ backup: { schedule: '0 3 * * *' }, jobTimeoutSeconds: 600 }));
    const [cron] = await world.list({ kind: 'CronJob' });

    expect(cron).toMatchObject({
      spec: { concurrencyPolicy: 'Forbid', jobTemplate: { spec: { activeDeadlineSeconds: 600 } } },
    });
  });

  it('k8up#86: the volume of the backups that somebody deleted is made again, so that no Job waits for it for ever', async () => {
    await using world = await open();
    const before = await uidOf(world, BACKUPS);
    await world.delete(BACKUPS);
    await playControllers(world);

    expect(await world.get(BACKUPS)).toBeDefined();
    expect(await uidOf(world, BACKUPS)).not.toBe(before);
  });

  it('a version that is set back in the middle of an upgrade leaves the old one serving, and no Job behind', async () => {
    await using world = await open();
    await world.patch({ ...SHOP, spec: { version: '17' } });
    expect((await world.list({ kind: 'Job' })).map((job) => textAt(job, 'metadata', 'name'))).toContain(
      'shop-to-17-backup',
    );
    await world.patch({ ...SHOP, spec: { version: '16' } });
    await playControllers(world);

    expect(await containerOf(world)).toMatchObject({ image: 'postgres:16' });
    expect(await conditionOf(world, 'Upgraded')).toMatchObject({ status: 'True', message: '16' });
    expect((await world.list({ kind: 'Job' })).map((job) => textAt(job, 'metadata', 'name'))).toEqual([
      'shop-configure',
    ]);
  });

  it('a database that is deleted during an upgrade is snapshot in the version of its data', async () => {
    await using world = await open();
    await world.patch({ ...SHOP, spec: { version: '17' } });
    await world.delete(SHOP);
    const snapshot = (await world.list({ kind: 'Job' })).find((job) =>
      textAt(job, 'metadata', 'name').endsWith('snapshot'),
    );
    const [container] = objectsAt(snapshot, 'spec', 'template', 'spec', 'containers');

    expect(container).toMatchObject({ image: 'postgres:16' });
    expect(await containerOf(world)).toMatchObject({ image: 'postgres:16' });
    await playControllers(world);
    expect(await world.get(SHOP)).toBeUndefined();
  });

  it('a database that never started says why there is no snapshot of it, and how to delete it without one', async () => {
    await using world = await openWorld({
      limitMs: 120_000,
      hooks: [join(folder, 'hooks', 'sampledb.ts')],
      crds: join(folder, 'manifests', 'crd.yaml'),
      objects: [SHOP],
    });
    const labels = { 'sampledb.hooklet.dev/name': 'shop', 'sampledb.hooklet.dev/part': 'database' };
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'shop-0', namespace: 'default', labels } };
    await world.apply({ ...pod, spec: { containers: [{ name: 'postgresql', image: 'postgres:16' }] } });
    const waiting = { reason: 'ErrImagePull', message: 'not found' };
    await world.patch(
      { ...pod, status: { containerStatuses: [{ name: 'postgresql', state: { waiting } }] } },
      'status',
    );
    await world.delete(SHOP);

    expect(await conditionOf(world, 'Snapshot')).toMatchObject({
      status: 'False',
      reason: 'SnapshotHeldUp',
      message: expect.stringMatching(
        /^Pod shop-0: not found\. Is there an image .* To delete without one: kubectl patch/,
      ),
    });
    const events = (await world.list({ kind: 'Event' })).filter(({ reason }) => reason === 'SnapshotHeldUp');
    expect(events).toMatchObject([{ type: 'Warning', count: 1 }]);
  });

  it('a migration whose Job is deleted by hand in the middle begins again, while no server runs', async () => {
    await using world = await open();
    await world.patch({ ...SHOP, spec: { version: '17' } });
    const job = (name: string) => ({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name, namespace: 'default' } });
    const complete = { conditions: [{ type: 'Complete', status: 'True' }] };
    await world.patch({ ...job('shop-to-17-backup'), status: complete }, 'status');
    const status = { observedGeneration: 2, replicas: 0, readyReplicas: 0, updatedReplicas: 0, availableReplicas: 0 };
    await world.patch({ ...SERVER, status }, 'status');
    const first = await uidOf(world, job('shop-to-17-migrate'));
    await world.delete(job('shop-to-17-migrate'));

    expect(first).not.toBe('');
    expect(await uidOf(world, job('shop-to-17-migrate'))).not.toBe(first);
    expect(await world.get(SERVER)).toMatchObject({ spec: { replicas: 0 } });
    await playControllers(world);
    expect(await containerOf(world)).toMatchObject({ image: 'postgres:17' });
  });
});
