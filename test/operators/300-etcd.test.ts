import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@hooklet/sandbox';
import { objectAt } from '@hooklet/sandbox/testing';
import { openWorld } from '../../src/testing/index.ts';
import type { TestWorld } from '../../src/testing/public.ts';
import { examplesDir, readManifests } from '../support/example-rig.ts';
import { temporaryFolder } from '../support/hook-rig.ts';
import { fieldSweep, withoutEffect } from './kit/field-sweep.ts';
import { playControllers } from './kit/play-controllers.ts';
import { quietDay } from './kit/quiet-day.ts';
import { rights } from './kit/rights.ts';
import { twoVersions } from './kit/two-versions.ts';

const example = join(examplesDir, '300-etcd');
const manifests = join(example, 'manifests');
const object = (kind: string, name: string, spec: JsonObject): JsonObject => ({
  apiVersion: 'etcd.hooklet.dev/v1',
  kind,
  metadata: { name, namespace: 'default' },
  spec,
});
/** One member: each further one is some ten runs. */
const BASE = object('EtcdCluster', 'etcd', { replicas: 1, version: '3.6.6', storage: { size: '8Gi' } });
const BUCKET = { bucket: 'backups', secretName: 's3' };
const TEMPLATE = { replicas: 1, version: '3.6.7', storage: { size: '1Gi' } };
const hook = (name: string): string => join(example, 'hooks', `etcd-${name}.ts`);
const LIMIT = { timeout: 900_000 };

/** With the stand-in for etcdctl, whose cluster is in a folder. */
function worldIn(folder: string) {
  return {
    hooks: [hook('cluster')],
    crds: join(manifests, 'crd.yaml'),
    programs: join(example, 'scenarios', 'programs'),
    env: { ETCD_STATE: folder, ETCD_SNAPSHOT_DIR: folder },
  };
}

describe('300-etcd', LIMIT, () => {
  it('writes nothing in a day in which nothing happens', async () => {
    using folder = temporaryFolder();
    await using world = await openWorld({ ...worldIn(folder.path), objects: [BASE], limitMs: 120_000 });
    await world.tick('5m');

    expect(await quietDay(world)).toEqual([]);
    expect(await world.get(BASE)).toMatchObject({ status: { readyReplicas: 1 } });
  });

  it('another version of the hook writes nothing, and restarts no member', async () => {
    using folder = temporaryFolder();
    const hooks = join(folder.path, 'hooks');
    const isKept = (path: string): boolean => !/etcd-(?:refusals|versions)\.ts$/.test(path);
    cpSync(join(example, 'hooks'), hooks, { recursive: true, filter: isKept });
    const { hooks: _, ...world } = worldIn(folder.path);
    const definitions = join(folder.path, 'crds');
    cpSync(manifests, definitions, {
      recursive: true,
      filter: (path) => !/(?:rbac|operator|try|namespace)/.test(path),
    });

    expect(await twoVersions({ hooks, world: { ...world, objects: [BASE] } })).toEqual([]);
  });

  it('has exactly the rights that it needs', async () => {
    const files = readdirSync(manifests).filter((file) => /^(?:namespace|crd|rbac|operator)/.test(file));
    // As kustomize does.
    const all = files
      .flatMap((file) => readManifests(join(manifests, file)))
      .map((one) => ({ ...one, metadata: { ...objectAt(one, 'metadata'), namespace: 'etcd-operator' } }));

    const lines = await rights({
      hooks: join(example, 'hooks'),
      manifests: all,
      scenarios: [join(example, 'scenarios')],
    });

    expect(lines).toEqual([]);
  });
});

/** Two values of the fields of which the schema does not say what they may be. */
const CLUSTER_VALUES = {
  'spec.replicas': [3, 1],
  'spec.version': ['3.6.7', '3.6.6'],
  'spec.image': ['registry.example.com/a', 'registry.example.com/b'],
  'spec.storage.size': ['9Gi', '10Gi'],
  'spec.storage.storageClassName': ['fast', 'slow'],
  'spec.resources.requests{}': ['1', '2'],
  'spec.resources.limits{}': ['1', '2'],
  'spec.options.electionMilliseconds': [2000, 3000],
  'spec.options.autoCompaction': ['1h', '2h'],
  'spec.pod.labels{}': ['a', 'b'],
  'spec.pod.annotations{}': ['a', 'b'],
  'spec.pod.nodeSelector{}': ['a', 'b'],
  'spec.pod.tolerations[]': [{ key: 'a' }, { key: 'b' }],
  'spec.pod.affinity': [{ podAffinity: {} }, { nodeAffinity: {} }],
  'spec.pod.priorityClassName': ['a', 'b'],
  'spec.tls.duration': ['240h', '480h'],
  'spec.tls.authorityDuration': ['1200d', '2400d'],
  'spec.tls.extraNames[]': ['a.example.com', 'b.example.com'],
  'spec.tls.secrets.server': ['a', 'b'],
  'spec.tls.secrets.peer': ['a', 'b'],
  'spec.tls.secrets.client': ['a', 'b'],
  'spec.defragment.least': ['200Mi', '300Mi'],
  'spec.repair.after': ['1m', '2m'],
  'spec.restore.claimName': ['a', 'b'],
  'spec.restore.file': ['a', 'b'],
} as const;
const PLACE = (path: string) =>
  ({
    [`${path}.endpoint`]: ['http://a', 'http://b'],
    [`${path}.region`]: ['a', 'b'],
    [`${path}.bucket`]: ['aaa', 'bbb'],
    [`${path}.prefix`]: ['a', 'b'],
    [`${path}.folder`]: ['a', 'b'],
    [`${path}.secretName`]: ['a', 'b'],
    [`${path}.takeOver`]: ['a', 'b'],
  }) as const;
const STORED = (path: string) =>
  ({
    ...PLACE(path),
    [`${path}.of`]: ['a', 'b'],
    [`${path}.backup`]: ['20260301T020100Z-a', '20260301T020100Z-b'],
  }) as const;

describe('each field, set, changed and removed, has an effect or is refused:', LIMIT, () => {
  it('those of an EtcdBackup', async () => {
    const onSchedule = { cluster: 'etcd', destination: BUCKET, schedule: '@daily' };
    const swept = await fieldSweep({
      world: {
        hooks: [hook('backup'), hook('refusals')],
        objects: [
          ...readManifests(join(manifests, 'crd.yaml')),
          BASE,
          { ...BASE, metadata: { name: 'other', namespace: 'default' } },
        ],
      },
      definition: join(manifests, 'crd-backup.yaml'),
      base: object('EtcdBackup', 'nightly', onSchedule),
      bases: { 'spec.claimName': object('EtcdBackup', 'once', { cluster: 'etcd', claimName: 'a' }) },
      values: {
        ...PLACE('spec.destination'),
        'spec.cluster': ['etcd', 'other'],
        'spec.claimName': ['a', 'b'],
        'spec.schedule': ['@daily', '0 3 * * 1'],
        'spec.timeZone': ['Europe/Berlin', 'Asia/Tokyo'],
      },
    });

    expect(withoutEffect(swept)).toEqual([]);
  });

  it('those of an EtcdRestore', async () => {
    const swept = await fieldSweep({
      world: { hooks: [hook('restore'), hook('refusals')], objects: readManifests(join(manifests, 'crd.yaml')) },
      definition: join(manifests, 'crd-restore.yaml'),
      base: object('EtcdRestore', 'app', { cluster: 'new', from: { ...BUCKET, of: 'etcd' }, template: TEMPLATE }),
      bases: { 'spec.backup': object('EtcdRestore', 'app', { cluster: 'new', backup: 'a', template: TEMPLATE }) },
      values: {
        ...STORED('spec.from'),
        'spec.backup': ['a', 'b'],
        'spec.cluster': ['a', 'b'],
        'spec.template': [TEMPLATE, { ...TEMPLATE, replicas: 3 }],
      },
    });

    expect(withoutEffect(swept)).toEqual([]);
  });

  const PARTS: readonly (readonly [string, RegExp])[] = [
    ['spec.restore', /^spec\.restore\./],
    ['spec.tls', /^spec\.tls\./],
    ['spec.pod and spec.options', /^spec\.(?:pod|options)\./],
  ];
  const isElsewhere = (path: string): boolean => PARTS.some(([, paths]) => paths.test(path));

  it.each(PARTS)('those of an EtcdCluster in %s', async (_, paths) => {
    expect(await clusterSweep((path) => paths.test(path))).toEqual([]);
  });

  it('all others of an EtcdCluster', async () => {
    expect(await clusterSweep((path) => !isElsewhere(path))).toEqual([]);
  });
});

/** The lines of those fields that come to nothing. */
async function clusterSweep(only: (path: string) => boolean): Promise<readonly string[]> {
  using folder = temporaryFolder();
  const having = (field: JsonObject): JsonObject => ({ ...BASE, spec: { ...Object(BASE['spec']), ...field } });
  const fromClaim = having({ restore: { claimName: 'a', file: 'b' } });
  const swept = await fieldSweep({
    world: { ...worldIn(folder.path), hooks: [hook('cluster'), hook('refusals')] },
    definition: join(manifests, 'crd.yaml'),
    base: BASE,
    bases: {
      'spec.tls': having({ tls: {} }),
      'spec.tls.secrets': having({ tls: { secrets: { server: 'server', peer: 'peer', client: 'client' } } }),
      'spec.restore.claimName': fromClaim,
      'spec.restore.file': fromClaim,
      'spec.restore.s3': having({ restore: { s3: { ...BUCKET, of: 'etcd' } } }),
    },
    values: { ...CLUSTER_VALUES, ...STORED('spec.restore.s3') },
    only,
    settle: soon,
  });
  return withoutEffect(swept);
}

/** What etcd alone knows is looked at every five seconds, and a deed is followed by the next one after a second. */
async function soon(world: TestWorld): Promise<void> {
  await playControllers(world);
  await world.tick('11s');
  await playControllers(world);
}
