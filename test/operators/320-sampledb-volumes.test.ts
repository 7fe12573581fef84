import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@hooklet/sandbox';
import { objectsAt, textAt } from '@hooklet/sandbox/testing';
import { spaceOf } from '../../examples/320-sampledb/hooks/lib/space.ts';
import { heldBy, problemsOf, type SampleDB } from '../../examples/320-sampledb/hooks/lib/spec.ts';
import { openWorld } from '../../src/testing/index.ts';
import type { TestWorld } from '../../src/testing/public.ts';
import { examplesDir } from '../support/example-rig.ts';
import { playControllers } from './kit/play-controllers.ts';

const folder = join(examplesDir, '320-sampledb');
const named = (kind: string, name: string, apiVersion = 'v1') => ({
  apiVersion,
  kind,
  metadata: { name, namespace: 'default' },
});
const DATA = named('PersistentVolumeClaim', 'shop-data');
const BACKUPS = named('PersistentVolumeClaim', 'shop-backups');
const SERVER = named('StatefulSet', 'shop', 'apps/v1');
const CRON = named('CronJob', 'shop-backup', 'batch/v1');

function foreign(object: JsonObject & { metadata: JsonObject }, labels: JsonObject = { app: 'other' }): JsonObject {
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '5Gi' } } };
  return { ...object, metadata: { ...object.metadata, labels }, spec };
}

function sampleDB(fields: JsonObject = {}): JsonObject {
  const spec = { version: '16', secretName: 'passwords', storage: { size: '1Gi' }, backup: { schedule: '@daily' } };
  return { ...named('SampleDB', 'shop', 'example.hooklet.dev/v1'), spec: { ...spec, ...fields } };
}

const SHOP = sampleDB();

async function open(objects: readonly JsonObject[], hooks = [join(folder, 'hooks', 'sampledb.ts')]) {
  return openWorld({ limitMs: 120_000, hooks, crds: join(folder, 'manifests', 'crd.yaml'), objects });
}

async function conditionOf(world: TestWorld, type: string): Promise<JsonObject | undefined> {
  return objectsAt(await world.get(SHOP), 'status', 'conditions').find((one) => one['type'] === type);
}

async function namesOf(world: TestWorld, kind: string): Promise<readonly string[]> {
  return (await world.list({ kind })).map((object) => textAt(object, 'metadata', 'name'));
}

describe('a claim of somebody else', { timeout: 240_000 }, () => {
  it('in the place of the data is mounted by nothing, and the database is made when it is gone', async () => {
    await using world = await open([foreign(DATA), SHOP]);
    await world.tick('1m');

    expect([await namesOf(world, 'StatefulSet'), await namesOf(world, 'Job')]).toEqual([[], []]);
    expect(await conditionOf(world, 'Ready')).toMatchObject({ status: 'False', reason: 'ChildNameTaken' });
    await world.delete(DATA);
    await world.tick('10m');
    await playControllers(world);
    expect(await conditionOf(world, 'Ready')).toMatchObject({ status: 'True' });
  });

  it('in the place of the backups is mounted by nothing and not changed, and the way out is told once', async () => {
    await using world = await open([foreign(BACKUPS), SHOP]);
    await playControllers(world);
    await world.patch({ ...SHOP, spec: { version: '17', backup: { size: '9Gi' } } });
    await playControllers(world);
    await world.tick('1h');

    expect([await namesOf(world, 'CronJob'), await namesOf(world, 'Job')]).toEqual([[], ['shop-configure']]);
    expect(await world.get(SERVER)).toMatchObject({ spec: { replicas: 1 } });
    expect(await world.get(BACKUPS)).toMatchObject({ spec: { resources: { requests: { storage: '5Gi' } } } });
    expect(await conditionOf(world, 'BackedUp')).toMatchObject({
      status: 'False',
      reason: 'VolumeTaken',
      message: expect.stringContaining('kubectl label persistentvolumeclaim shop-backups'),
    });
    expect(await conditionOf(world, 'Upgraded')).toMatchObject({ status: 'False', reason: 'VolumeTaken' });
    const events = (await world.list({ kind: 'Event' })).filter(({ reason }) => reason === 'VolumeTaken');
    expect(events.map(({ count }) => count)).toEqual([1, 1]);
  });

  it('that takes the place of the backups later ends the schedule, and the labels give it to the database', async () => {
    await using world = await open([SHOP]);
    await playControllers(world);
    expect(await world.get(CRON)).toBeDefined();
    await world.delete(BACKUPS);
    expect(await world.get(CRON)).toBeDefined();

    await world.patch({ ...BACKUPS, metadata: { ...BACKUPS.metadata, labels: { 'sampledb.hooklet.dev/name': null } } });
    expect(await world.get(CRON)).toBeUndefined();
    await world.patch({
      ...BACKUPS,
      metadata: { ...BACKUPS.metadata, labels: { 'sampledb.hooklet.dev/name': 'shop' } },
    });
    await playControllers(world);
    expect(await world.get(CRON)).toBeDefined();
  });

  it('keeps a deletion waiting for a place of the snapshot, which says so', async () => {
    await using world = await open([foreign(BACKUPS), SHOP]);
    await playControllers(world);
    await world.delete(SHOP);

    expect(await conditionOf(world, 'Snapshot')).toMatchObject({
      status: 'False',
      reason: 'VolumeTaken',
      message: expect.stringContaining(`{"spec":{"onDelete":"Discard"}}`),
    });
    expect(await world.get(DATA)).toBeDefined();
    await world.delete(BACKUPS);
    await playControllers(world);
    expect(await world.get(SHOP)).toBeUndefined();
  });

  it('with a ConfigMap of somebody else, whose scripts no server runs', async () => {
    await using world = await open([{ ...named('ConfigMap', 'shop-scripts'), data: { 'start.sh': 'env' } }, SHOP]);
    await world.tick('1m');

    expect(await namesOf(world, 'StatefulSet')).toEqual([]);
  });
});

it('a database that is made again under its name has its old backups', { timeout: 240_000 }, async () => {
  await using world = await open([sampleDB({ onDelete: 'Discard' })]);
  await playControllers(world);
  const before = textAt(await world.get(BACKUPS), 'metadata', 'uid');
  await world.delete(SHOP);
  await world.apply(SHOP);
  await playControllers(world);

  expect(textAt(await world.get(BACKUPS), 'metadata', 'uid')).toBe(before);
  expect(await world.get(CRON)).toBeDefined();
  expect(await conditionOf(world, 'Ready')).toMatchObject({ status: 'True' });
});

describe('a size', { timeout: 240_000 }, () => {
  it.each([
    ['of a new volume is asked for', '2Gi', undefined, '2Gi', undefined],
    ['that grows is asked for', '3Gi', { request: '2Gi', capacity: '2Gi' }, '3Gi', undefined],
    [
      'of a volume that is larger than asked for stays',
      '1500Mi',
      { request: '1500Mi', capacity: '2Gi' },
      '1500Mi',
      undefined,
    ],
    [
      'that is less than a growth that failed is asked for',
      '3Gi',
      { request: '9Gi', capacity: '2Gi' },
      '3Gi',
      undefined,
    ],
    [
      'that the volume has cannot be asked for any more',
      '2Gi',
      { request: '9Gi', capacity: '2Gi' },
      '9Gi',
      'GrowthStands',
    ],
    [
      'of a volume that is not there yet cannot change',
      '2Gi',
      { request: '9Ti', capacity: null },
      '9Ti',
      'VolumeMissing',
    ],
  ] as const)('%s', (...[, wanted, claim, request, reason]) => {
    const space = spaceOf('shop-data', wanted, claim);

    expect([space.request, space.reason]).toEqual([request, reason]);
  });

  it('that came to nothing is taken back: the claim that no volume was made for is deleted by hand', async () => {
    await using world = await open([sampleDB({ storage: { size: '10Ti' } })], [join(folder, 'hooks')]);
    const { answer } = await world.admit({ operation: 'UPDATE', object: sampleDB({ storage: { size: '10Gi' } }) });
    expect(JSON.stringify(answer)).toContain('"code":200');
    await world.patch({ ...SHOP, spec: { storage: { size: '10Gi' } } });

    expect(await conditionOf(world, 'Space')).toMatchObject({
      status: 'False',
      reason: 'VolumeMissing',
      message: expect.stringContaining('kubectl delete persistentvolumeclaim shop-data'),
    });
    await world.delete(DATA);
    await playControllers(world);
    expect(await world.get(DATA)).toMatchObject({ spec: { resources: { requests: { storage: '10Gi' } } } });
    expect(await conditionOf(world, 'Space')).toMatchObject({ status: 'True' });
    expect(await conditionOf(world, 'Ready')).toMatchObject({ status: 'True' });
  });

  it('of backups that came to nothing is taken back to one that is still above what the volume has', async () => {
    await using world = await open([SHOP]);
    await playControllers(world);
    await world.patch({ ...SHOP, spec: { backup: { size: '10Ti' } } });
    await world.patch({ ...BACKUPS, status: { phase: 'Bound', capacity: { storage: '1Gi' } } }, 'status');
    await world.patch({ ...SHOP, spec: { backup: { size: '2Gi' } } });

    expect(await world.get(BACKUPS)).toMatchObject({ spec: { resources: { requests: { storage: '2Gi' } } } });
  });
});

describe('a StorageClass', { timeout: 240_000 }, () => {
  const classed = (storageClassName: string): JsonObject => ({ storage: { size: '1Gi', storageClassName } });
  const unclassed = { storage: { size: '1Gi' } };
  /** What the webhook, which does not judge what the world writes, says of a change of the SampleDB. */
  const problems = async (world: TestWorld, fields: JsonObject): Promise<string> => {
    // The schema of the definition holds what it is.
    const old = (await world.get(SHOP)) as unknown as SampleDB;
    const object = { ...old, spec: { ...old.spec, ...fields } };
    return problemsOf(object, heldBy(object, old)).join();
  };

  it('is neither changed nor set later', async () => {
    await using world = await open([SHOP], [join(folder, 'hooks')]);
    await playControllers(world);
    const { answer } = await world.admit({ operation: 'UPDATE', object: sampleDB(classed('fast')) });

    expect(JSON.stringify(answer)).toContain(
      'got fast, but it was made without one: remove it, or make another SampleDB',
    );
  });

  it('that was set while the webhook was down is told, and can be set back to what the volume has', async () => {
    await using world = await open([sampleDB(classed('fast'))]);
    await playControllers(world);
    const problem = 'got slow, but it is fast for good: set fast, or make another SampleDB';

    await world.apply(sampleDB(classed('slow')));

    expect(await conditionOf(world, 'Ready')).toMatchObject({
      reason: 'SpecRefused',
      message: expect.stringContaining(problem),
    });
    expect(await problems(world, classed('other'))).toContain('it is fast for good');
    expect(await problems(world, unclassed)).toContain('it is fast for good');
    expect(await problems(world, classed('fast'))).toBe('');
    await world.apply(sampleDB(classed('fast')));
    expect(await conditionOf(world, 'Ready')).toMatchObject({ status: 'True' });
  });

  it('that was set while the webhook was down can be removed where the volume has none', async () => {
    await using world = await open([SHOP]);
    await playControllers(world);

    await world.apply(sampleDB(classed('fast')));

    expect(await conditionOf(world, 'Ready')).toMatchObject({ status: 'False' });
    expect(await problems(world, classed('slow'))).toContain('it was made without one');
    expect(await problems(world, unclassed)).toBe('');
    await world.apply(SHOP);
    expect(await conditionOf(world, 'Ready')).toMatchObject({ status: 'True' });
  });

  it('of the cluster, which the volume was given, may be set', async () => {
    await using world = await open([SHOP]);
    await playControllers(world);
    await world.patch({ ...DATA, spec: { storageClassName: 'standard' } });

    expect(await problems(world, { settings: { work_mem: '8MB' } })).toBe('');
    expect(await problems(world, classed('fast'))).toContain('it is standard for good: set standard');
    await world.apply(sampleDB(classed('fast')));
    expect(await problems(world, classed('standard'))).toBe('');
  });
});
