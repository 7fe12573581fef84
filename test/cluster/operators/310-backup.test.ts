import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { forbiddenRequests } from '../audit.ts';
import { sharedControlPlane } from '../shared-control-plane.ts';
import { eventually } from '../solutions/eventually.ts';
import { startBackupRig, type BackupRig } from './310-backup-rig.ts';

const LIMIT_MS = 300_000;
const plane = sharedControlPlane();
const running = new AsyncDisposableStack();
let rig: BackupRig;

beforeAll(async () => {
  rig = running.use(await startBackupRig(plane));
  await eventually(async () => rig.sql('select 1', 'postgres'), LIMIT_MS);
  await rig.sql("create role backup login password 'postgresql-secret'; grant pg_read_all_data to backup", 'postgres');
  await rig.sql('create database app', 'postgres');
  await rig.sql('create table notes as select n from generate_series(1, 1000) n');
}, 2 * LIMIT_MS);

// Each test has an operator of its own, which looks at all that is there.
beforeEach(async () => void (await rig.startOperator()));

afterAll(async () => running.disposeAsync(), LIMIT_MS);

/** A Backup of the database that comes at no tick by itself. */
function backup(
  name: string,
  { destination = {}, ...spec }: { readonly destination?: object; [field: string]: unknown },
): object {
  const servers = `${rig.namespace}-servers`;
  const bucket = { endpoint: `http://s3.${servers}.svc:7070`, bucket: 'backups', secretName: 's3' };
  return {
    apiVersion: 'example.hooklet.dev/v1',
    kind: 'Backup',
    metadata: { name },
    spec: {
      schedule: '0 0 29 2 *',
      source: { postgresql: { host: `postgresql.${servers}.svc`, database: 'app', secretName: 'postgresql' } },
      destination: { ...bucket, ...destination },
      retries: 0,
      ...spec,
    },
  };
}

/** Applies a Backup, when the webhook answers, and waits for its CronJob. */
async function make(name: string, spec: Parameters<typeof backup>[1] = {}): Promise<void> {
  await eventually(async () => rig.apply(backup(name, spec)), LIMIT_MS);
  await eventually(async () => expect(await rig.get('cronjobs', name)).toBeDefined(), LIMIT_MS);
}

async function manifestsOf(name: string): Promise<readonly string[]> {
  return (await rig.bucket(`${rig.namespace}/${name}`)).filter((file) => /^[^/]*\/\d[^/]*\/manifest\.json$/.test(file));
}

async function isRefused(name: string, spec: Parameters<typeof backup>[1], words: RegExp): Promise<void> {
  await eventually(async () => {
    const said = await rig.apply(backup(name, spec)).then(
      async () => {
        // Until the webhook is registered: the next one is to be a new object again.
        await rig.kubectl('delete', 'backup', name);
        return 'it was taken';
      },
      (error: unknown) => String(error),
    );
    expect(said).toMatch(words);
  }, LIMIT_MS);
}

/** The status has this condition, and an Event says the same. */
async function isTold(name: string, reason: string, message: RegExp): Promise<void> {
  const condition = { type: 'Ready', status: 'False', reason, message: expect.stringMatching(message) };
  await rig.told(name, ({ conditions }) => expect(conditions).toContainEqual(expect.objectContaining(condition)));
  await eventually(async () => {
    const events = await rig.list('events', '--field-selector', `involvedObject.name=${name}`);
    expect(events.map((event) => event['reason'])).toContain(`Backup${reason}`);
  }, LIMIT_MS);
}

describe('a Backup to a real S3 server', { timeout: 2 * LIMIT_MS }, () => {
  it('of PostgreSQL is made by a Job of its CronJob, keeps 2 of 3, is drilled, and takes its backups with it', async () => {
    const drill = { schedule: '0 0 29 2 *', query: 'select count(*) from notes', expect: '1000' };
    await make('app', { retention: { keep: 2 }, drill, deletionPolicy: 'Delete' });

    for (const job of ['one', 'two', 'three']) {
      await rig.run('app', job);
      await rig.told('app', (status) => {
        expect(status).toMatchObject({ lastSuccess: { job, verified: 'yes' }, lastAttempt: { outcome: 'Succeeded' } });
      });
    }
    await rig.told('app', ({ lastSuccess }) => expect(lastSuccess).toMatchObject({ kept: 2 }));
    expect(await manifestsOf('app')).toHaveLength(2);

    await rig.run('app-drill', 'drill');
    await rig.told('app', ({ lastDrill }) => {
      expect(lastDrill).toMatchObject({ job: 'drill', outcome: 'Succeeded', answer: '1000' });
    });

    await rig.kubectl('delete', 'backup', 'app', '--wait=false');
    await eventually(async () => expect(await rig.get('backups', 'app')).toBeUndefined(), LIMIT_MS);
    expect(await rig.bucket(`${rig.namespace}/app`)).toEqual([]);
  });

  it('row 30: makes up for two weeks of missed ticks by 1 Job, not 14', async () => {
    await make('missed', { schedule: '0 3 * * *', source: { command: { command: ['date'] } } });
    const lastScheduleTime = new Date(Date.now() - 14 * 86_400_000).toISOString();
    const patch = JSON.stringify({ status: { lastScheduleTime } });
    await rig.kubectl('patch', 'cronjob', 'missed', '--subresource=status', '--type=merge', '-p', patch);

    await rig.told('missed', ({ lastSuccess }) => expect(lastSuccess).toMatchObject({ kept: 1 }));
    expect(await rig.list('jobs', '-l', 'example.hooklet.dev/backup=missed')).toHaveLength(1);
  });

  it('of what a command prints has its check, and is none when the command fails', async () => {
    const check = ['grep', '-q', 'good'];
    await make('said', { source: { command: { command: ['echo', 'good'], check } } });
    await make('unsaid', { source: { command: { command: ['sh', '-c', 'echo half; exit 3'] } } });
    await rig.run('said', 'said');
    await rig.run('unsaid', 'unsaid');

    await rig.told('said', ({ lastSuccess }) => expect(lastSuccess).toMatchObject({ bytes: 5, verified: 'read' }));
    await isTold('unsaid', 'CommandFailed', /ended with exit code 3/);
    expect(await manifestsOf('unsaid')).toEqual([]);
  });

  it('row 29: gives up a Job whose claim is gone, and makes a backup of the files when it is there', async () => {
    await make('files', { source: { volume: { claimName: 'files' } }, startTimeout: '5s' });
    await rig.run('files', 'without');
    await rig.told('files', ({ lastAttempt }) =>
      expect(lastAttempt).toMatchObject({ job: 'without', outcome: 'Failed' }),
    );

    const resources = { requests: { storage: '16Mi' } };
    const spec = { accessModes: ['ReadWriteOnce'], resources };
    await rig.apply({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'files' }, spec });
    await rig.kubectl('patch', 'backup', 'files', '--type=merge', '-p', '{"spec":{"startTimeout":"10m"}}');
    await rig.run('files', 'with');
    await rig.told('files', ({ lastSuccess }) => expect(lastSuccess).toMatchObject({ job: 'with', verified: 'yes' }));
  });

  it('row 17: tells of each bad setting by a condition and an Event, and what to do', async () => {
    const source = { command: { command: ['date'] } };
    await rig.apply({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'bad' },
      stringData: { accessKey: 'access', secretKey: 'no' },
    });
    await make('no-bucket', { source, destination: { bucket: 'nowhere' } });
    await make('no-login', { source, destination: { secretName: 'bad' } });
    await make('no-secret', { source, destination: { secretName: 'nobody' } });
    for (const name of ['no-bucket', 'no-login', 'no-secret']) await rig.run(name, name);

    await isTold('no-bucket', 'BucketMissing', /make it, or correct/);
    await isTold('no-login', 'WrongCredentials', /correct the Secret/);
    await isTold('no-secret', 'SecretMissing', /make the Secret, or correct the secretName/);
  });

  it('is let go without its backups when the store is gone and somebody says so', async () => {
    const destination = { endpoint: 'http://127.0.0.1:1' };
    await make('lost', { destination, deletionPolicy: 'Delete' });
    await rig.kubectl('delete', 'backup', 'lost', '--wait=false');
    await rig.told('lost', ({ conditions }) => {
      const removed = {
        type: 'Removed',
        reason: 'TargetUnreachable',
        message: expect.stringContaining('to leave them'),
      };
      expect(conditions).toContainEqual(expect.objectContaining(removed));
    });

    await rig.kubectl('patch', 'backup', 'lost', '--type=merge', '-p', '{"spec":{"deletionPolicy":"Keep"}}');
    await eventually(async () => expect(await rig.get('backups', 'lost')).toBeUndefined(), LIMIT_MS);
  });

  it('is refused where it could never work, by the webhook and the schema', async () => {
    await isRefused('bad', { schedule: '0 3 31 2 *' }, /never comes: there is no such day in these months/);
    await isRefused('bad', { timeZone: 'Mars/Olympus' }, /there is no time zone "Mars\/Olympus"/);
    await isRefused('bad', { retention: { keep: -1 } }, /spec\.retention\.keep/);
    await isRefused('bad', { source: {} }, /spec\.source/);
    await isRefused('bad', { source: { mysql: {} } }, /unknown field "spec\.source\.mysql"/);
    await isRefused('Bad', {}, /lower ?case/i);
    await isRefused('x'.repeat(41), {}, /at most 40 lower case letters/);
    await isRefused(
      'bad',
      { verify: 'Read', drill: { schedule: '@daily' } },
      /set verify to Restore, or leave drill out/,
    );
  });

  it('was refused no request by its rights', async () => {
    expect(forbiddenRequests(await plane.auditLog(), 'nobody')).toEqual([]);
  });
});
