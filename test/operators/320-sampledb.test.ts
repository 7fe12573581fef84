import { appendFileSync, cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type JsonObject } from '@hooklet/sandbox';
import { crontabProblem } from '../../examples/320-sampledb/hooks/lib/crontab.ts';
import { majorOf, problemsOf, type Spec } from '../../examples/320-sampledb/hooks/lib/spec.ts';
import { bytesOf } from '../../examples/320-sampledb/hooks/lib/quantity.ts';
import { openWorld } from '../../src/testing/index.ts';
import type { TestWorld } from '../../src/testing/public.ts';
import { examplesDir, readManifests } from '../support/example-rig.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { fieldSweep, withoutEffect } from './kit/field-sweep.ts';
import { playControllers } from './kit/play-controllers.ts';
import { quietDay } from './kit/quiet-day.ts';
import { leavesOf } from './kit/schema-leaves.ts';
import { rights } from './kit/rights.ts';
import { twoVersions } from './kit/two-versions.ts';

const folder = join(examplesDir, '320-sampledb');
const hooks = join(folder, 'hooks');
const definition = join(folder, 'manifests', 'crd.yaml');
const HOOK = [join(hooks, 'sampledb.ts')];
const LIMIT_MS = 240_000;

function sampleDB(fields: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'example.hooklet.dev/v1',
    kind: 'SampleDB',
    metadata: { name: 'shop', namespace: 'default' },
    spec: {
      version: '16',
      secretName: 'passwords',
      storage: { size: '1Gi' },
      backup: { schedule: '0 3 * * *' },
      ...fields,
    },
  };
}

/** Lets controllers play, and a minute pass; the backups of one that is gone go too, as a user might do it. */
async function rested(world: TestWorld): Promise<void> {
  await playControllers(world);
  await world.tick('1m');
  await playControllers(world);
  const kind = 'PersistentVolumeClaim';
  const backups = { apiVersion: 'v1', kind, metadata: { name: 'shop-backups', namespace: 'default' } };
  const isThere = (await world.list({ kind: 'SampleDB' })).length > 0;
  if (!isThere && (await world.get(backups)) !== undefined) await world.delete(backups);
}

const SPEC: Spec = {
  version: '16',
  database: 'app',
  secretName: 'passwords',
  storage: { size: '1Gi' },
  backup: { size: '1Gi', keep: 7, suspend: false },
  onDelete: 'Snapshot',
  jobTimeoutSeconds: 3600,
};

function problems(spec: Partial<Spec>, held: Parameters<typeof problemsOf>[1] = {}, name = 'shop'): readonly string[] {
  const metadata = { name, uid: '', resourceVersion: '', creationTimestamp: '' };
  return problemsOf({ metadata, spec: { ...SPEC, ...spec } }, held);
}

describe('the spec of a SampleDB', () => {
  it.each([
    ['* * * * *', undefined],
    ['0 3 * * mon-fri', undefined],
    ['*/15 0-6,22 1 jan,jul ?', undefined],
    ['0 3 29 2 *', undefined],
    ['0 3 30 2 1', undefined],
    ['@daily', undefined],
    ['0 3 31 2 */2', undefined],
    ['0 3 31,* 2 1', undefined],
    ['0 3 31 2 1,*', 'which is no day of any year: no backup would ever be taken'],
    ['0 3 30 2 *', 'which is no day of any year: no backup would ever be taken'],
    ['0 3 31 4,6,9,11 *', 'which is no day of any year: no backup would ever be taken'],
    ['61 3 * * *', 'whose minute is none: expected 0 to 59, *, lists, ranges and steps'],
    ['0 3 * * 7', 'whose day of the week is none: expected 0 to 6, *, lists, ranges and steps'],
    ['0 3 1-5-7 * *', 'whose day of the month is none: expected 1 to 31, *, lists, ranges and steps'],
    ['@Daily', expect.stringMatching(/^expected five fields/)],
    ['*/0 3 * * *', 'whose minute is none: expected 0 to 59, *, lists, ranges and steps'],
    ['0 3 * *', expect.stringMatching(/^expected five fields such as 0 3 \* \* \*, or one of @yearly/)],
    ['@every 1h', expect.stringMatching(/^expected five fields/)],
  ])('with the crontab %s is taken, or refused with what it lacks', (schedule, problem) => {
    expect(crontabProblem(schedule)).toEqual(problem);
  });

  it.each([
    ['10Gi', 10 * 2 ** 30],
    ['1.5M', 1_500_000],
    ['-1Gi', -(2 ** 30)],
    ['much', undefined],
    ['1e9', undefined],
  ])('has a size of %s as Kubernetes reads it', (size, bytes) => {
    expect(bytesOf(size)).toBe(bytes);
  });

  it('is refused with all that is wrong at once, and with what to do', () => {
    const wrong = {
      version: '99',
      storage: { size: '-1Gi' },
      backup: { size: '0', schedule: '0 3 30 2 *', keep: 7, suspend: false },
      settings: { port: '1', 'a b': '' },
      database: 'postgres',
    };

    expect(problems(wrong, {}, 'Shop')).toEqual([
      'metadata.name: got Shop, which cannot name a Service: take at most 40 small letters, digits and -',
      'spec.version: got 99, which is unknown; expected PostgreSQL 14 to 18, such as 18 or 18.1',
      'spec.storage.size: got -1Gi, expected a size above 0 such as 10Gi',
      'spec.backup.size: got 0, expected a size above 0 such as 10Gi',
      'spec.backup.schedule: got 0 3 30 2 *, which is no day of any year: no backup would ever be taken',
      'spec.database: got postgres, which belongs to PostgreSQL',
      'spec.settings.port: the operator sets it; remove it',
      'spec.settings.a b: names of parameters are of small letters, digits, _ and .',
    ]);
  });

  it('is refused where it would lose what is there: a smaller volume, an older major version, another database', () => {
    const held = { version: '16.4', size: '2Gi', backupSize: '1Gi', database: 'app', storageClassName: 'fast' };

    expect(problems({ version: '15' }, { version: '16.4' })).toEqual([
      'spec.version: got 15, but the data is of 16.4, which 15 cannot read: set 16.4, or make another SampleDB and restore a backup into it',
    ]);
    expect(problems({ version: '16.1', database: 'other' }, held)).toEqual([
      'spec.storage.size: got 1Gi, but the volume has 2Gi, and volumes cannot shrink: set 2Gi or more',
      'spec.database: got other, but it is app for good: set app, or make another SampleDB',
      'spec.storage.storageClassName: got nothing, but it is fast for good: set fast, or make another SampleDB',
    ]);
    expect(majorOf('16.4')).toBe(16);
  });
});

describe('the README of the example', () => {
  it('has a row for each of the 15 fields of spec, and no other', () => {
    const text = readFileSync(join(folder, 'README.md'), 'utf8');
    const [, table = ''] = /## Fields of `spec`\n([^]*?)\n## /.exec(text) ?? [];
    const rows = table.split('\n').flatMap((line) => /^\| (`[^|]+`) \|/.exec(line)?.[1]?.split(', ') ?? []);
    const [described = {}] = readManifests(definition);
    const fields = leavesOf(described).map(({ path }) => `\`${path.replace(/^spec\./, '').replace(/\[\]|\{\}/, '')}\``);

    expect(rows.toSorted()).toEqual(fields.toSorted());
    expect(fields).toHaveLength(15);
  });
});

describe('the operator of SampleDBs in the sandbox', () => {
  it(
    'does something about each field of the spec that is set, changed or removed, or refuses it',
    { timeout: LIMIT_MS },
    async () => {
      const swept = await fieldSweep({
        world: { hooks: HOOK },
        definition,
        base: sampleDB(),
        settle: rested,
        values: {
          'spec.version': ['16', '17'],
          'spec.database': ['app1', 'app2'],
          'spec.secretName': ['one', 'two'],
          'spec.storage.size': ['1Gi', '2Gi'],
          'spec.storage.storageClassName': ['fast', 'slow'],
          'spec.backup.schedule': ['0 3 * * *', '0 4 * * *'],
          'spec.backup.size': ['2Gi', '3Gi'],
          'spec.resources.cpu': ['1', '200m'],
          'spec.resources.memory': ['1Gi', '2Gi'],
          'spec.settings{}': ['1', '2'],
          'spec.extensions[]': ['pgcrypto', 'hstore'],
        },
      });

      expect(withoutEffect(swept)).toEqual([]);
      expect(new Set(swept.map(({ path }) => path)).size).toBe(15);
    },
  );

  it('prometheus-operator#2950: writes nothing in a day in which nothing happens', { timeout: LIMIT_MS }, async () => {
    await using world = await openWorld({ hooks: HOOK, crds: definition, objects: [sampleDB()] });

    expect(await quietDay(world)).toEqual([]);
  });

  it('writes nothing when another version of it takes over', { timeout: LIMIT_MS }, async () => {
    using folder = temporaryFolder();
    // The registration of a webhook counts who made it, so that one is left out.
    const copy = join(folder.path, 'hooks');
    cpSync(hooks, copy, { recursive: true, filter: (path) => !path.endsWith('-webhook.ts') });
    const change = (second: string): void => appendFileSync(join(second, 'sampledb.ts'), '\n// The second version.\n');

    expect(await twoVersions({ hooks: copy, world: { crds: definition, objects: [sampleDB()] }, change })).toEqual([]);
  });

  it('has the rights that it needs, and no other', { timeout: LIMIT_MS }, async () => {
    const manifests = ['crd.yaml', 'rights.yaml', 'deployment.yaml'].flatMap((file) =>
      readManifests(join(folder, 'manifests', file)),
    );

    expect(await rights({ hooks, manifests, scenarios: [join(folder, 'scenarios')] })).toEqual([]);
  });

  it('refuses by its webhook what shrinks or can never be', { timeout: LIMIT_MS }, async () => {
    await using world = await openWorld({
      hooks,
      crds: definition,
      objects: [sampleDB({ storage: { size: '2Gi' } })],
    });
    await playControllers(world);

    const shrunk = await world.admit({ operation: 'UPDATE', object: sampleDB({ storage: { size: '1Gi' } }) });
    const unknown = await world.admit({ object: { ...sampleDB({ version: '99' }), metadata: { name: 'other' } } });
    const fine = await world.admit({ object: { ...sampleDB(), metadata: { name: 'other' } } });

    const answers = [shrunk, unknown, fine].map(({ answer }) => JSON.stringify(answer));
    expect(answers).toEqual([
      expect.stringContaining('but the volume has 2Gi, and volumes cannot shrink: set 2Gi or more'),
      expect.stringContaining('got 99, which is unknown'),
      expect.stringContaining('"code":201'),
    ]);
  });

  it(
    'etcd-io PR#395, clickhouse-operator#1420: says by status and one Event what is wrong where the webhook did not see it, and nothing is lost',
    { timeout: LIMIT_MS },
    async () => {
      await using world = await openWorld({
        hooks: HOOK,
        crds: definition,
        objects: [sampleDB({ storage: { size: '2Gi' } })],
      });
      await playControllers(world);

      const wrong = await world.apply(sampleDB({ storage: { size: '1Gi' } }));
      await world.restart('1h');

      const [told, ...others] = wrong.writes();
      expect([told?.object.kind, told?.subresource, others]).toEqual(['SampleDB', 'status', []]);
      const events = (await world.list({ kind: 'Event' })).filter(({ reason }) => reason === 'SpecRefused');
      expect(events).toHaveLength(1);
      expect(events[0]).toMatchObject({ count: 1, message: expect.stringContaining('volumes cannot shrink') });
    },
  );

  it(
    'etcd-druid#452: makes no empty database where the volume of the data is gone',
    { timeout: LIMIT_MS },
    async () => {
      await using world = await openWorld({ hooks: HOOK, crds: definition, objects: [sampleDB()] });
      await playControllers(world);

      await world.delete({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'shop-data' } });

      expect(
        await world.get({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'shop-data' } }),
      ).toBeUndefined();
      expect(
        await world.get({ apiVersion: 'example.hooklet.dev/v1', kind: 'SampleDB', metadata: { name: 'shop' } }),
      ).toMatchObject({
        status: {
          conditions: expect.arrayContaining([expect.objectContaining({ type: 'Ready', reason: 'DataGone' })]),
        },
      });
    },
  );
});
