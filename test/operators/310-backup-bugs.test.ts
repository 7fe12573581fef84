import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@hooklet/sandbox';
import { objectAt, objectsAt, textAt } from '@hooklet/sandbox/testing';
import { openWorld } from '../../src/testing/index.ts';
import type { TestWorld } from '../../src/testing/public.ts';
import { examplesDir } from '../support/example-rig.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { openJobs, playDeadlines, playTick } from './310-backup-nights.ts';

const folder = join(examplesDir, '310-backup');
const hooks = [join(folder, 'hooks', 'backup.ts')];
const crds = join(folder, 'manifests', 'crd.yaml');
const cronJob = { apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: 'app' } };
const WORLD = { crds, clock: '2026-03-01T02:00:00Z', limits: { runs: 10_000, writes: 50_000 }, limitMs: 240_000 };

function backup(spec: JsonObject = {}, name = 'app'): JsonObject {
  const destination = { bucket: 'backups', secretName: 's3' };
  const given = { schedule: '0 3 * * *', source: { redis: { host: 'redis' } }, destination, ...spec };
  return { apiVersion: 'example.hooklet.dev/v1', kind: 'Backup', metadata: { name }, spec: given };
}

async function conditionOf(world: TestWorld, type: string, name = 'app'): Promise<JsonObject | undefined> {
  const found = await world.get({ apiVersion: 'example.hooklet.dev/v1', kind: 'Backup', metadata: { name } });
  return objectsAt(found, 'status', 'conditions').find((one) => one['type'] === type);
}

async function scheduleOf(world: TestWorld, name = 'app'): Promise<string> {
  return textAt(await world.get({ ...cronJob, metadata: { name } }), 'spec', 'schedule');
}

describe(
  'k8up#370, coreos#1972: 7 nights with a Pod that is stuck, and restarts at each phase',
  { timeout: 400_000 },
  () => {
    it('bring at most 1 Job at a time, each given up after startTimeout, so that no night is lost', async () => {
      await using world = await openWorld({ ...WORLD, hooks, objects: [backup()] });
      const phases = [
        async () => world.restart('1m'),
        async () => world.kill('operator'),
        async () => world.relist(),
        async () => world.tick('1m'),
      ];
      let given = 0;
      for (let night = 1; night <= 7; night++) {
        await world.until(new Date(Date.UTC(2026, 2, night, 3)));
        expect(await playTick(world, 'app')).toBe(1);
        await phases[night % 4]?.();
        expect(await conditionOf(world, 'Ready')).toMatchObject({ status: 'False', reason: 'VolumeMissing' });
        await world.tick('5m');
        expect(await playDeadlines(world)).toBe(0);
        await world.tick('8m');
        await phases[(night + 1) % 4]?.();
        given += await playDeadlines(world);
        expect(await openJobs(world)).toEqual([]);
      }
      expect(given).toBe(7);
    });

    it('bring 1 Job in all where startTimeout is longer than 7 nights, which nothing ends before its time', async () => {
      await using world = await openWorld({ ...WORLD, hooks, objects: [backup({ startTimeout: '200h' })] });
      for (let night = 1; night <= 7; night++) {
        await world.until(new Date(Date.UTC(2026, 2, night, 3)));
        expect(await playTick(world, 'app')).toBe(1);
        if (night % 2 === 0) await world.restart('1m');
      }
      expect(await world.list({ kind: 'Job' })).toHaveLength(1);
      expect(await playDeadlines(world)).toBe(0);
    });
  },
);

describe('a Backup', { timeout: 200_000 }, () => {
  it('etcd-druid#818: is changed while its Job is stuck, without waiting for it', async () => {
    await using world = await openWorld({
      ...WORLD,
      hooks,
      objects: [backup({ source: { volume: { claimName: 'a' } } })],
    });
    await world.until('2026-03-01T03:00:00Z');
    await playTick(world, 'app');
    expect(await conditionOf(world, 'Ready')).toMatchObject({ status: 'False' });

    await world.patch(backup({ source: { volume: { claimName: 'b' } } }));

    expect(JSON.stringify(await world.get(cronJob))).toContain('"claimName":"b"');
  });

  it('cozystack#159: that an older version of the operator failed on is looked at by the next one', async () => {
    using copy = temporaryFolder();
    cpSync(join(folder, 'hooks'), copy.path, { recursive: true });
    const hook = join(copy.path, 'backup.ts');
    const text = readFileSync(hook, 'utf8');
    writeFileSync(
      hook,
      text.replace('  const { jobs, pods } = watched;\n', "  throw new Error('of the older version');\n$&"),
    );
    await using world = await openWorld({ ...WORLD, hooks: [hook], objects: [backup()] });
    await world.tick('1h');
    expect(await conditionOf(world, 'Ready')).toMatchObject({ status: 'False', reason: 'HookFailed' });

    writeFileSync(hook, text);
    await world.restart('1m');

    expect(await scheduleOf(world)).toBe('0 3 * * *');
    expect(await conditionOf(world, 'Ready')).toMatchObject({ status: 'True' });
  });

  it('rabbitmq#2023: without retention keeps 7, and one that says so is not read as 0', async () => {
    await using world = await openWorld({ ...WORLD, hooks, objects: [backup(), backup({ retention: {} }, 'bare')] });
    for (const name of ['app', 'bare']) {
      const found = await world.get({ ...cronJob, metadata: { name } });
      const [engine] = objectsAt(found, 'spec', 'jobTemplate', 'spec', 'template', 'spec', 'containers');
      expect(objectsAt(engine, 'env')).toContainEqual({ name: 'BACKUP_KEEP', value: '7' });
    }
  });

  it('clickhouse-operator#1420: whose CronJob the API server refuses keeps what it has', async () => {
    await using world = await openWorld({ ...WORLD, hooks, objects: [backup({ drill: { schedule: '@weekly' } })] });
    const refusal = {
      type: 'status',
      code: 422,
      method: 'PATCH',
      path: '/apis/batch/v1/namespaces/default/cronjobs/app',
    };
    await world.fault(refusal);
    await world.patch({ ...backup({ schedule: '0 4 * * *' }), spec: { schedule: '0 4 * * *', drill: null } });

    expect(await conditionOf(world, 'Ready')).toMatchObject({ status: 'False', reason: 'ChildRefused' });
    expect([await scheduleOf(world), await scheduleOf(world, 'app-drill')]).toEqual(['0 3 * * *', '@weekly']);
  });

  it('prometheus-operator PR#4504: whose CronJob is long in going is made anew once, when it is gone', async () => {
    await using world = await openWorld({ ...WORLD, hooks, objects: [backup()] });
    const held = { ...cronJob, metadata: { name: 'app', finalizers: ['example.com/held'] } };
    await world.patch(held);
    await world.delete(cronJob);
    const meanwhile = await world.tick('30m');
    expect(meanwhile.writes().filter(({ object }) => object.kind === 'CronJob')).toEqual([]);

    const done = await world.patch({ ...cronJob, metadata: { name: 'app', finalizers: null } });
    const after = await world.tick('1m');
    const written = [done, after].flatMap((one) => one.writes()).filter(({ object }) => object.kind === 'CronJob');
    expect(written).toHaveLength(1);
    expect(await scheduleOf(world)).toBe('0 3 * * *');
  });

  it('prometheus-operator#3335: that never comes holds up no other', async () => {
    const bad = backup({ schedule: '0 3 31 2 *' }, 'bad');
    await using world = await openWorld({ ...WORLD, hooks, objects: [bad, backup()] });

    expect(await conditionOf(world, 'Ready', 'bad')).toMatchObject({ status: 'False', reason: 'ImpossibleSchedule' });
    expect(await conditionOf(world, 'Ready')).toMatchObject({ status: 'True' });
    expect(await scheduleOf(world)).toBe('0 3 * * *');
  });
});

describe('a clock that is wrong', { timeout: 200_000 }, () => {
  it('by a day ahead leaves a Pod that has not begun the minute in which it is watched', async () => {
    await using world = await openWorld({ ...WORLD, hooks, objects: [backup()] });
    await world.until('2026-03-01T03:00:00Z');
    await playTick(world, 'app');
    // For an operator that starts now, its Pod was made a day ago.
    await world.kill('operator');
    await world.restart('24h');
    expect(await playDeadlines(world)).toBe(0);
    await world.tick('50s');
    expect(await playDeadlines(world)).toBe(0);

    await world.tick('30s');
    expect(await playDeadlines(world)).toBe(1);
  });

  it('and namespaces that go every 20 s meanwhile put off by no more than another minute what is late', async () => {
    await using world = await openWorld({ ...WORLD, hooks, objects: [backup()] });
    await world.until('2026-03-01T03:00:00Z');
    await playTick(world, 'app');
    await world.kill('operator');
    await world.restart('24h');

    for (let round = 1; round <= 6; round += 1) {
      const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: `ci-${round}` } };
      await world.apply({ ...namespace, metadata: { ...namespace.metadata, finalizers: ['example.com/held'] } });
      await world.delete(namespace);
      await world.patch({ ...namespace, metadata: { ...namespace.metadata, finalizers: null } });
      await world.tick('20s');
    }
    expect(await playDeadlines(world)).toBe(1);
  });

  it('and set back does not hide the Job that is made then', async () => {
    await using world = await openWorld({ ...WORLD, hooks, objects: [backup()] });
    const status = { lastAttempt: { job: 'of-tomorrow', outcome: 'Succeeded', startedAt: '2026-03-02T03:00:00Z' } };
    await world.patch({ ...backup(), status }, 'status');
    await world.until('2026-03-01T03:00:00Z');
    await playTick(world, 'app');

    const found = await world.get(backup());
    expect(objectAt(found, 'status', 'lastAttempt')).toMatchObject({ outcome: 'Waiting', reason: 'VolumeMissing' });
  });
});

describe('bad input', { timeout: 200_000 }, () => {
  it.each([
    ['an impossible crontab', { schedule: '0 3 31 2 *' }, 'ImpossibleSchedule', /there is no such day/],
    ['a bucket that is not there', {}, 'BucketMissing', /make it, or correct spec\.destination\.bucket/],
    ['wrong credentials', {}, 'WrongCredentials', /correct the Secret with accessKey and secretKey/],
    ['a full bucket', {}, 'TargetFull', /lower spec\.retention\.keep/],
  ])('%s is told by a condition and an Event that say what to do', async (_, spec, reason, advice) => {
    await using world = await openWorld({ ...WORLD, hooks, objects: [backup()] });
    await world.patch(backup(spec));
    const [engine] = ENGINES.flatMap(([of, message]) => (of === reason ? [message] : []));
    if (engine !== undefined) await playFailure(world, reason, engine);

    const told = { status: 'False', reason, message: expect.stringMatching(advice) };
    expect(await conditionOf(world, 'Ready')).toMatchObject(told);
    const events = (await world.list({ kind: 'Event' })).map(
      (one) => `${textAt(one, 'reason')} ${textAt(one, 'message')}`,
    );
    expect(events.filter((line) => line.includes(reason) && advice.test(line))).toHaveLength(1);
    // What was there stays.
    expect(await scheduleOf(world)).toBe('0 3 * * *');
  });

  it.each([
    ['a negative size', backup({ retention: { keep: -1 } }), /spec\.retention\.keep/],
    ['a negative room', backup({ room: { disk: '-1Gi' } }), /spec\.room\.disk/],
    ['an unknown version', { ...backup(), apiVersion: 'example.hooklet.dev/v2' }, /example\.hooklet\.dev\/v2/],
  ])('%s is refused, and what was there stays', async (_, object, words) => {
    await using world = await openWorld({ ...WORLD, hooks, objects: [backup()] });

    await expect(world.apply(object)).rejects.toThrow(words);
    expect(await scheduleOf(world)).toBe('0 3 * * *');
  });
});

it('a Backup with the name of the drills of another is refused when it is made, and may be changed', async () => {
  const there = backup({}, 'app-drill');
  await using world = await openWorld({ ...WORLD, hooks: [join(folder, 'hooks')], objects: [there] });
  const made = await world.admit({ object: backup({}, 'web-drill') });
  const changed = await world.admit({ operation: 'UPDATE', object: backup({ schedule: '@daily' }, 'app-drill') });

  expect(JSON.stringify(made.answer)).toContain('got web-drill, which would be the name of the drills of another');
  expect(JSON.stringify(changed.answer)).toContain('"code":200');
});

/** What the engines say, in their own words for the settings. */
const ENGINES: readonly (readonly [string, string])[] = [
  ['BucketMissing', 'there is no bucket backups at http://s3:7070: make it, or correct S3_BUCKET: NoSuchBucket'],
  ['WrongCredentials', 'correct the Secret with AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY: InvalidAccessKeyId'],
  ['TargetFull', 'bucket backups is full: raise its quota, or lower BACKUP_KEEP: no space left on device'],
];

/** The Pod of the next tick ends with this report. */
async function playFailure(world: TestWorld, reason: string, message: string): Promise<void> {
  await world.until('2026-03-01T03:00:00Z');
  await playTick(world, 'app');
  const [pod] = await world.list({ kind: 'Pod' });
  const report = { format: 'example.hooklet.dev/report/v1', outcome: 'failed', reason, message };
  const terminated = { exitCode: 1, finishedAt: '2026-03-01T03:00:20Z', message: JSON.stringify(report) };
  const status = { phase: 'Failed', conditions: null, containerStatuses: [{ name: 'engine', state: { terminated } }] };
  const metadata = { name: textAt(pod, 'metadata', 'name') };
  await world.patch({ apiVersion: 'v1', kind: 'Pod', metadata, status }, 'status');
}
