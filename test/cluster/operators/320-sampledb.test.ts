import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forbiddenRequests, serviceAccountUser, unusedRules, type RoleRule } from '../audit.ts';
import { sharedControlPlane } from '../shared-control-plane.ts';
import { eventually } from '../solutions/eventually.ts';
import { FAULTS, strike, Writer } from './320-sampledb-chaos.ts';
import { OPERATOR, PASSWORDS, startSampleRig, type SampleRig } from './320-sampledb-rig.ts';

const LIMIT_MS = 400_000;
const plane = sharedControlPlane();
const running = new AsyncDisposableStack();
let rig: SampleRig;

beforeAll(async () => void (rig = running.use(await startSampleRig(plane))), LIMIT_MS);

afterAll(async () => running.disposeAsync(), LIMIT_MS);

/** The dumps in the volume of the backups of a SampleDB, oldest first. */
function dumpsOf(name: string): readonly { readonly file: string; readonly text: string }[] {
  const root = rig.kubelet.volumeOf(rig.namespace, `${name}-backups`);
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.sql.gz'));
  return files.toSorted().map((file) => ({ file, text: gunzipSync(readFileSync(join(root, file))).toString() }));
}

async function uidOf(resource: string, name: string): Promise<string | undefined> {
  return (await rig.get(resource, name))?.metadata.uid;
}

async function isGone(name: string): Promise<void> {
  await eventually(async () => {
    expect(await rig.get('sampledbs', name)).toBeUndefined();
  });
  expect(await rig.get('statefulsets', name)).toBeUndefined();
  expect(await rig.get('persistentvolumeclaims', `${name}-data`)).toBeUndefined();
}

const READY = { type: 'Ready', status: 'True' };
const DISCARD = { spec: { onDelete: 'Discard' } };

describe.concurrent('a SampleDB on real servers, with real PostgreSQL', () => {
  it(
    'prometheus-operator#3875: serves the configured database, grows without touching its Pod, and takes a snapshot before it goes',
    { timeout: LIMIT_MS },
    async () => {
      await rig.make('shop', { extensions: ['pgcrypto'], backup: { size: '64Mi' } });
      await rig.told('shop', READY);
      await rig.sql('shop', `create table orders (n int); insert into orders values (1), (2)`);
      expect(await rig.sql('shop', `select extname from pg_extension where extname = 'pgcrypto'`)).toBe('pgcrypto');

      const pod = await uidOf('pods', 'shop-0');
      await rig.patch('sampledbs', 'shop', { spec: { storage: { size: '300Mi' }, backup: { size: '80Mi' } } });
      await eventually(async () => {
        for (const [claim, storage] of [
          ['shop-data', '300Mi'],
          ['shop-backups', '80Mi'],
        ] as const) {
          expect((await rig.get('persistentvolumeclaims', claim))?.['status']).toMatchObject({ capacity: { storage } });
        }
      });
      expect(await uidOf('pods', 'shop-0')).toBe(pod);

      await rig.remove('sampledbs', 'shop');
      await isGone('shop');
      const [dump, ...others] = dumpsOf('shop');
      expect(others).toEqual([]);
      expect(dump?.file).toMatch(/-snapshot\.sql\.gz$/);
      expect(dump?.text).toMatch(/COPY public\.orders \(n\) FROM stdin;\n1\n2\n/);
    },
  );

  it(
    'is upgraded by Jobs: a migration that fails leaves the old version serving, and the next one loses no row',
    { timeout: LIMIT_MS },
    async () => {
      await rig.make('old');
      await rig.told('old', READY);
      await rig.sql('old', `create table orders (n int); insert into orders values (1), (2)`);

      const release = await rig.kubelet.fillDisk(rig.namespace, 'old-data');
      await rig.patch('sampledbs', 'old', { spec: { version: '16' } });
      const failed = await rig.told('old', { type: 'Upgraded', reason: 'MigrationFailed' });
      expect(failed['message']).toMatch(/^15 serves, .*delete that Job to try again, or set spec.version to 15$/);
      await release();
      await eventually(async () => rig.sql('old', 'insert into orders values (3)'));
      expect((await rig.warnings('old')).filter((line) => line.startsWith('MigrationFailed'))).toHaveLength(1);

      await rig.remove('jobs', 'old-to-16-migrate');
      await rig.told('old', { type: 'Upgraded', status: 'True', message: '16' });
      await rig.told('old', READY);
      expect(await rig.sql('old', 'select n from orders order by n')).toBe('1\n2\n3');
      expect((await rig.get('sampledbs', 'old'))?.['status']).toMatchObject({ version: '16' });
      expect(dumpsOf('old').map(({ file }) => file)).toEqual([expect.stringMatching(/-upgrade\.sql\.gz$/)]);
    },
  );

  it(
    'cloudnative-pg#7623, etcd-io PR#401: takes one backup after two weeks without any, and keeps it when the next one fails',
    { timeout: LIMIT_MS },
    async () => {
      const now = new Date();
      const daily = `${now.getUTCMinutes()} ${(now.getUTCHours() + 23) % 24} * * *`;
      await rig.make('nightly', { backup: { schedule: daily, suspend: true, keep: 1, size: '64Mi' } });
      await rig.told('nightly', READY);
      await rig.told('nightly', { type: 'BackedUp', reason: 'Suspended' });
      const longAgo = new Date(now.getTime() - 14 * 86_400_000).toISOString().replace(/\.\d+Z$/, 'Z');
      await rig.patch('cronjobs', 'nightly-backup', { status: { lastScheduleTime: longAgo } }, 'status');
      await rig.patch('sampledbs', 'nightly', { spec: { backup: { suspend: false } } });

      await rig.told('nightly', { type: 'BackedUp', status: 'True' });
      const jobs = (await rig.list('jobs')).filter(({ metadata }) => metadata.name.startsWith('nightly-backup-'));
      expect(jobs).toHaveLength(1);
      const good = dumpsOf('nightly').map(({ file }) => file);
      expect(good).toHaveLength(1);

      await rig.kubelet.fillDisk(rig.namespace, 'nightly-backups');
      const cron = await rig.get('cronjobs', 'nightly-backup');
      const { jobTemplate }: { jobTemplate?: object } = Object(cron?.['spec']);
      await rig.create('jobs', { ...jobTemplate, metadata: { name: 'nightly-again', labels: labelsOf(jobTemplate) } });
      const told = await rig.told('nightly', { type: 'BackedUp', reason: 'BackupFailed' });
      expect(told['message']).toMatch(
        /No space left on device; the last good one is of .*, and is kept. To do: raise spec.backup.size/,
      );
      expect(dumpsOf('nightly').map(({ file }) => file)).toEqual(good);

      await rig.patch('sampledbs', 'nightly', { spec: { backup: { schedule: null } } });
      await eventually(async () => expect(await rig.get('cronjobs', 'nightly-backup')).toBeUndefined());
      expect(dumpsOf('nightly').map(({ file }) => file)).toEqual(good);
    },
  );

  it('says what is missing or wrong, and goes on by itself when that is mended', { timeout: LIMIT_MS }, async () => {
    await rig.make('ill', { secretName: 'none', version: '15.9' });
    const image = await rig.told('ill', { type: 'Healthy', reason: 'ErrImagePull' });
    expect(image['message']).toMatch(
      /^Pod ill-0: .*Is there an image of this version\? Set spec.version to one that there is$/,
    );
    await rig.patch('sampledbs', 'ill', { spec: { version: '15.1' } });
    const secret = await rig.told('ill', { type: 'Healthy', reason: 'CreateContainerConfigError' });
    expect(secret['message']).toMatch(/Make the Secret none with the keys adminPassword and password$/);
    await rig.patch('sampledbs', 'ill', { spec: { secretName: 'passwords', settings: { max_connections: 'many' } } });
    const setting = await rig.told('ill', { type: 'Healthy', reason: 'CrashLoopBackOff' });
    expect(setting['message']).toMatch(/max_connections/);
    await rig.create('secrets', { metadata: { name: 'half' }, stringData: { adminPassword: 'one' } });
    await rig.patch('sampledbs', 'ill', { spec: { secretName: 'half', settings: { max_connections: '20' } } });
    const key = await rig.told('ill', { type: 'Healthy', reason: 'CreateContainerConfigError' });
    expect(key['message']).toMatch(
      /find key password in Secret .*\/half. Make the Secret half with the keys adminPassword and/,
    );
    await rig.patch('secrets', 'half', { stringData: { password: PASSWORDS.password } });
    await rig.told('ill', READY);
    expect(await rig.sql('ill', 'show max_connections')).toBe('20');

    await rig.patch('sampledbs', 'ill', { spec: { version: '15.8' } });
    await rig.told('ill', { type: 'Healthy', reason: 'ErrImagePull' });
    expect(await rig.sql('ill', 'select 1')).toBe('1');
    await rig.patch('sampledbs', 'ill', { spec: { secretName: 'none' } });
    await rig.remove('sampledbs', 'ill');
    const due = await rig.told('ill', { type: 'Snapshot', status: 'False', reason: 'SnapshotHeldUp' });
    expect(due['message']).toMatch(/^Pod ill-.*\. To delete without one: kubectl patch sampledb ill --type merge -p /);
    await rig.patch('sampledbs', 'ill', DISCARD);
    await isGone('ill');
    expect(await rig.get('persistentvolumeclaims', 'ill-backups')).toBeDefined();
  });

  it(
    'is whole again after each of 10 faults, and has every row that was acknowledged',
    { timeout: LIMIT_MS },
    async () => {
      await rig.make('chaos', { backup: { size: '64Mi' } });
      await rig.told('chaos', READY);
      const writer = new Writer(rig, 'chaos');
      await writer.start();
      for (const fault of Object.keys(FAULTS)) {
        await strike(rig, 'chaos', fault);
        expect(await writer.lost(), fault).toEqual([]);
      }
      await writer.stop();
      expect(Object.keys(FAULTS)).toHaveLength(10);
      expect(writer.count).toBeGreaterThan(10);
    },
  );
});

describe('the operator of SampleDBs, in a Pod with its own rights,', { timeout: LIMIT_MS }, () => {
  it('refuses a bad spec in its webhook, with all that is wrong and what to do', async () => {
    const bad = rig.make('bad', { version: '13', storage: { size: '-1Gi' }, backup: { schedule: '0 0 31 2 *' } });
    await expect(bad).rejects.toThrow(/13, which is unknown; expected PostgreSQL 14 to 18/);
    await expect(bad).rejects.toThrow(/spec\.storage\.size: got -1Gi, expected a size above 0 such as 10Gi/);
    await expect(bad).rejects.toThrow(/spec\.backup\.schedule: got 0 0 31 2 \*/);
  });

  it('has its databases serve while it is stopped, and another Pod of it writes nothing but what is its own', async () => {
    const before = await uidOf('pods', 'chaos-0');
    await rig.stopOperator();
    expect(await rig.sql('chaos', 'select 1')).toBe('1');
    const written = await writesOf();

    await rig.startOperator();
    const names = (await rig.list('sampledbs')).map(({ metadata }) => metadata.name);
    expect(names.length).toBeGreaterThan(1);
    await eventually(async () => {
      const runs = (await rig.logged('info')).filter((line) => line.includes('"hook finished"'));
      expect(runs.filter((line) => line.includes('sampledb.ts')).length).toBeGreaterThanOrEqual(names.length);
    });

    for (const name of names) await rig.told(name, READY);
    expect(await writesOf()).toEqual(written);
    expect(await uidOf('pods', 'chaos-0')).toBe(before);
  });

  it('was refused nothing, and has used each right that is not for seldom moments (etcd-io PR#395)', async () => {
    const user = serviceAccountUser(OPERATOR.namespace, OPERATOR.name);
    const entries = await plane.auditLog();
    const roles = ['clusterrole/example-sampledb', 'role/sampledb'];
    const { items }: { items: readonly { rules: readonly RoleRule[] }[] } = JSON.parse(
      await rig.kubectl('get', ...roles, '-o', 'json'),
    );

    expect(forbiddenRequests(entries, user)).toEqual([]);
    const unused = unusedRules(
      items.flatMap(({ rules }) => rules),
      entries,
      user,
    );
    expect(unused.filter((right) => !SELDOM.includes(right))).toEqual([]);
    expect(await rig.logged('error')).toEqual([]);
  });
});

/** What the operator wrote among its databases, without Events. */
async function writesOf(): Promise<readonly string[]> {
  const user = serviceAccountUser(OPERATOR.namespace, OPERATOR.name);
  return (await plane.auditLog())
    .filter((entry) => entry.user === user && entry.namespace === rig.namespace && entry.resource !== 'events')
    .filter(({ verb }) => !['get', 'list', 'watch'].includes(verb))
    .map(({ verb, resource, subresource, name }) => `${verb} ${resource}/${subresource} ${name}`);
}

const SELDOM: readonly string[] = [
  // For API servers that check owner references.
  'update sampledbs/finalizers.example.hooklet.dev',
  // What stands in the place of a child that cannot be made is read.
  'get configmaps',
  'get persistentvolumeclaims',
  'get services',
  'get statefulsets.apps',
  'get cronjobs.batch',
  'get jobs.batch',
  // A registration that another replica made, and whether that one is gone.
  'get validatingwebhookconfigurations.admissionregistration.k8s.io example-sampledb-hooks',
  'get mutatingwebhookconfigurations.admissionregistration.k8s.io example-sampledb-hooks',
  'get pods',
];

function labelsOf(template: object | undefined): object {
  const { metadata }: { metadata?: { labels?: object } } = Object(template);
  return metadata?.labels ?? {};
}
