import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@hooklet/sandbox';
import { objectAt, objectsAt } from '@hooklet/sandbox/testing';
import { openWorld } from '../../src/testing/index.ts';
import type { TestWorld } from '../../src/testing/public.ts';
import { examplesDir, readManifests } from '../support/example-rig.ts';
import { openJobs, playDeadlines, playTick } from './310-backup-nights.ts';

const folder = join(examplesDir, '300-etcd');
const manifests = join(folder, 'manifests');
const BUCKET = { bucket: 'backups', secretName: 's3' };
const WHY = 'persistentvolumeclaim "data" not found';

async function worldWith(spec: JsonObject): Promise<TestWorld> {
  const backup = {
    apiVersion: 'etcd.hooklet.dev/v1',
    kind: 'EtcdBackup',
    metadata: { name: 'app' },
    spec: { cluster: 'etcd', destination: BUCKET, ...spec },
  };
  return openWorld({
    hooks: [join(folder, 'hooks', 'etcd-backup.ts')],
    crds: join(manifests, 'crd-backup.yaml'),
    objects: [
      ...readManifests(join(manifests, 'crd.yaml')),
      ...readManifests(join(manifests, 'try/cluster.yaml')),
      backup,
    ],
    clock: '2026-03-01T02:00:00Z',
    limits: { runs: 10_000, writes: 50_000 },
    limitMs: 120_000,
  });
}

async function readyOf(world: TestWorld): Promise<JsonObject | undefined> {
  const found = await world.get({ apiVersion: 'etcd.hooklet.dev/v1', kind: 'EtcdBackup', metadata: { name: 'app' } });
  return objectsAt(found, 'status', 'conditions').find(({ type }) => type === 'Ready');
}

async function eventsOf(world: TestWorld, reason: string): Promise<readonly JsonObject[]> {
  return (await world.list({ kind: 'Event' })).filter((event) => event['reason'] === reason);
}

describe('etcd: a backup in a bucket whose Pod does not begin', { timeout: 120_000 }, () => {
  it('on a schedule, is ended after 10 minutes with the reason of the Pod, once a night, and the next night is tried', async () => {
    await using world = await worldWith({ schedule: '0 3 * * *' });
    for (let night = 1; night <= 2; night++) {
      await world.until(new Date(Date.UTC(2026, 2, night, 3)));
      expect(await playTick(world, 'app-backup')).toBe(1);
      await world.tick('1m');
      expect(await readyOf(world)).toMatchObject({ reason: 'PodWaits', message: expect.stringContaining(WHY) });
      await world.tick('5m');
      expect(await playDeadlines(world)).toBe(0);
      await world.tick('8m');
      expect(await playDeadlines(world)).toBe(1);
      await world.tick('1m');
      expect(await openJobs(world)).toEqual([]);
      expect(await readyOf(world)).toMatchObject({ reason: 'NotStarted', message: expect.stringContaining(WHY) });
      expect(await eventsOf(world, 'NotStarted')).toHaveLength(night);
    }
  });

  it('once, is ended after 10 minutes with the reason of the Pod, and stays ended', async () => {
    await using world = await worldWith({});
    const [job] = await openJobs(world);
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'app-backup-a' } };
    const labels = {
      ...objectAt(job, 'spec', 'template', 'metadata', 'labels'),
      'batch.kubernetes.io/job-name': 'app-backup',
    };
    await world.apply({
      ...pod,
      metadata: { ...pod.metadata, labels },
      spec: { containers: [{ name: 'engine', image: 'a' }] },
    });
    const waiting = { reason: 'ImagePullBackOff', message: 'Back-off pulling image "a"' };
    await world.patch({ ...pod, status: { containerStatuses: [{ name: 'engine', state: { waiting } }] } }, 'status');
    await world.tick('5m');
    expect(await playDeadlines(world)).toBe(0);
    await world.tick('8m');
    expect(await playDeadlines(world)).toBe(1);
    await world.tick('1m');

    expect(await openJobs(world)).toEqual([]);
    expect(await readyOf(world)).toMatchObject({
      reason: 'NotStarted',
      message: expect.stringContaining(waiting.message),
    });
    await world.restart('1h');
    expect(await world.list({ kind: 'Job' })).toMatchObject([{ spec: { activeDeadlineSeconds: 1 } }]);
    expect(await readyOf(world)).toMatchObject({
      reason: 'NotStarted',
      message: expect.stringContaining(waiting.message),
    });
    expect(await eventsOf(world, 'NotStarted')).toHaveLength(1);
  });
});
