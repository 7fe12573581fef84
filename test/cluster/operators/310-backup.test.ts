import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chaosFigures } from '../../operators/kit/chaos.ts';
import { forbiddenRequests, serviceAccountUser } from '../audit.ts';
import { sharedControlPlane } from '../shared-control-plane.ts';
import { eventually } from '../solutions/eventually.ts';
import { backupChaos, goodIn } from './310-backup-chaos.ts';
import { backupOf, type BackupParts } from './310-backup-objects.ts';
import { OPERATOR, startBackupRig, type BackupRig } from './310-backup-rig.ts';

const LIMIT_MS = 300_000;
const plane = sharedControlPlane();
const running = new AsyncDisposableStack();
let rig: BackupRig;

beforeAll(async () => void (rig = running.use(await startBackupRig(plane))), 2 * LIMIT_MS);

afterAll(async () => running.disposeAsync(), LIMIT_MS);

/** Applies a Backup and waits for its CronJob. */
async function make(name: string, parts: BackupParts = {}): Promise<void> {
  await rig.make(backupOf(rig, name, parts));
  await eventually(async () => expect(await rig.find('cronjobs', name)).toBeDefined(), LIMIT_MS);
}

async function isRefused(name: string, parts: BackupParts, words: RegExp): Promise<void> {
  await expect(rig.make(backupOf(rig, name, parts))).rejects.toThrow(words);
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

const DATE = { command: { command: ['date'] } };

describe.concurrent('a Backup whose bucket or keys change', { timeout: 2 * LIMIT_MS }, () => {
  it('etcd-io PR#401: is told that a bucket is full, keeps the last good backup, and goes on when there is room', async () => {
    const source = { command: { command: ['head', '-c', '600000', '/dev/urandom'] } };
    await make('full', { source, destination: { endpoint: `http://${rig.host('small-s3')}:7070` } });
    await rig.run('full', 'full-1');
    await rig.told('full', ({ lastSuccess }) => expect(lastSuccess).toMatchObject({ job: 'full-1' }));
    const before = await goodIn(rig, 'full', 'small-s3:backups');
    expect(before).toHaveLength(1);

    await rig.inServer('small-s3', 'head -c 9000000 /dev/zero > /data/filler || true');
    await rig.run('full', 'full-2');
    await isTold('full', 'TargetFull', /is full: raise its quota, or lower spec\.retention\.keep/);
    await rig.told('full', ({ lastSuccess }) => expect(lastSuccess).toMatchObject({ job: 'full-1' }));
    expect(await goodIn(rig, 'full', 'small-s3:backups')).toEqual(before);

    await rig.inServer('small-s3', 'rm /data/filler');
    await rig.run('full', 'full-3');
    await rig.told('full', ({ lastSuccess }) => expect(lastSuccess).toMatchObject({ job: 'full-3', kept: 2 }));
  });

  it('is told when the bucket vanishes, and has all of it when it returns', async () => {
    await rig.inServer('s3', 'mkdir /data/vanishing');
    await make('gone', { source: DATE, destination: { bucket: 'vanishing' } });
    await rig.run('gone', 'gone-1');
    await rig.told('gone', ({ lastSuccess }) => expect(lastSuccess).toMatchObject({ job: 'gone-1' }));

    await rig.inServer('s3', 'mv /data/vanishing /data/.vanished');
    await rig.run('gone', 'gone-2');
    await isTold(
      'gone',
      'BucketMissing',
      /there is no bucket vanishing at .*make it, or correct spec\.destination\.bucket/,
    );

    await rig.inServer('s3', 'mv /data/.vanished /data/vanishing');
    await rig.run('gone', 'gone-3');
    await rig.told('gone', ({ lastSuccess }) => expect(lastSuccess).toMatchObject({ job: 'gone-3', kept: 2 }));
    expect(await goodIn(rig, 'gone', 's3:vanishing')).toHaveLength(2);
  });

  it('takes keys that are changed in the middle with the next Pod of the same Job', async () => {
    const keys = (secretKey: string): object => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'rotated' },
      stringData: { accessKey: 'access', secretKey },
    });
    await rig.make(keys('of-before'));
    await make('rotated', { source: DATE, destination: { secretName: 'rotated' }, retries: 5 });
    await rig.run('rotated', 'rotated');
    await isTold('rotated', 'WrongCredentials', /correct the Secret/);

    await rig.make(keys('s3-secret'));
    await rig.told('rotated', ({ lastSuccess }) => expect(lastSuccess).toMatchObject({ job: 'rotated' }));
  });

  it('is refused the folder of another one, and removes nothing there', async () => {
    const folder = `${rig.backups}/shared`;
    await make('first', { source: DATE, destination: { folder } });
    await make('second', { source: DATE, destination: { folder }, deletionPolicy: 'Delete' });
    await rig.run('first', 'first');
    await rig.told('first', ({ lastSuccess }) => expect(lastSuccess).toMatchObject({ job: 'first' }));
    await rig.run('second', 'second');
    await isTold('second', 'FolderTaken', /set another spec\.destination\.folder/);

    await rig.there('delete', 'backup', 'second', '--wait=false');
    await rig.told('second', ({ conditions }) => {
      const removed = {
        type: 'Removed',
        reason: 'FolderTaken',
        message: expect.stringContaining('nothing is removed'),
      };
      expect(conditions).toContainEqual(expect.objectContaining(removed));
    });
    await rig.there('patch', 'backup', 'second', '--type=merge', '-p', '{"spec":{"deletionPolicy":"Keep"}}');
    await eventually(async () => expect(await rig.find('backups', 'second')).toBeUndefined(), LIMIT_MS);
    expect(await goodIn(rig, 'shared')).toHaveLength(1);
  });
});

describe.concurrent('a Backup of the same database in the same folder', { timeout: 2 * LIMIT_MS }, () => {
  it('keeps its backups when the other one is deleted with its own', async () => {
    const destination = { folder: `${rig.backups}/twins` };
    await make('shared-one', { destination, deletionPolicy: 'Delete' });
    await make('shared-other', { destination });
    for (const name of ['shared-one', 'shared-other']) {
      await rig.run(name, name);
      await rig.told(name, ({ lastSuccess }) => expect(lastSuccess).toMatchObject({ job: name }));
    }
    await rig.there('delete', 'backup', 'shared-one', '--wait=false');
    await rig.told('shared-one', ({ conditions }) => {
      const message = expect.stringMatching(
        /also has backups of \S+\/shared-other, and this is \S+\/shared-one: nothing is removed/,
      );
      expect(conditions).toContainEqual(expect.objectContaining({ type: 'Removed', reason: 'FolderTaken', message }));
    });
    expect(await goodIn(rig, 'twins')).toHaveLength(2);
    await rig.there('patch', 'backup', 'shared-one', '--type=merge', '-p', '{"spec":{"deletionPolicy":"Keep"}}');
    await eventually(async () => expect(await rig.find('backups', 'shared-one')).toBeUndefined(), LIMIT_MS);
  });
});

describe.concurrent('a Backup that is deleted', { timeout: 2 * LIMIT_MS }, () => {
  it('in the foreground takes its backups with it all the same, and leaves no Job', async () => {
    await make('front', { source: DATE, deletionPolicy: 'Delete' });
    await rig.run('front', 'front');
    await rig.told('front', ({ lastSuccess }) => expect(lastSuccess).toMatchObject({ job: 'front' }));

    await rig.there('delete', 'backup', 'front', '--cascade=foreground', '--wait=false');
    await eventually(async () => expect(await rig.find('backups', 'front')).toBeUndefined(), LIMIT_MS);
    expect(await rig.bucket(`${rig.backups}/front`)).toEqual([]);
    await eventually(async () => {
      expect(await rig.list('jobs', '-l', 'example.hooklet.dev/backup=front')).toEqual([]);
    }, LIMIT_MS);
  });

  it('does not hold its namespace, in which nothing can be removed any more', async () => {
    const namespace = `${rig.backups}-leaving`;
    await rig.kubectl('create', 'namespace', namespace);
    const leaving = { ...backupOf(rig, 'app', { source: DATE, deletionPolicy: 'Delete' }) };
    await rig.makeIn(namespace, { ...leaving, metadata: { name: 'app', namespace } });
    await eventually(async () => rig.kubectl('get', 'cronjob', 'app', '--namespace', namespace), LIMIT_MS);

    await rig.kubectl('delete', 'namespace', namespace, '--wait=false');
    await eventually(async () => {
      expect(await rig.kubectl('get', 'namespace', namespace, '--ignore-not-found')).toBe('');
    }, LIMIT_MS);
  });
});

describe.concurrent('a Backup to a real S3 server', { timeout: 2 * LIMIT_MS }, () => {
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
    expect(await goodIn(rig, 'app')).toHaveLength(2);

    await rig.run('app-drill', 'drill');
    await rig.told('app', ({ lastDrill }) => {
      expect(lastDrill).toMatchObject({ job: 'drill', outcome: 'Succeeded', answer: '1000' });
    });

    await rig.there('delete', 'backup', 'app', '--wait=false');
    await eventually(async () => expect(await rig.find('backups', 'app')).toBeUndefined(), LIMIT_MS);
    expect(await rig.bucket(`${rig.backups}/app`)).toEqual([]);
  });

  it('cloudnative-pg#7623: makes up for two weeks of missed ticks by 1 Job, not 14', async () => {
    await make('missed', { schedule: '0 3 * * *', source: { command: { command: ['date'] } } });
    const lastScheduleTime = new Date(Date.now() - 14 * 86_400_000).toISOString();
    const patch = JSON.stringify({ status: { lastScheduleTime } });
    await rig.there('patch', 'cronjob', 'missed', '--subresource=status', '--type=merge', '-p', patch);

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
    expect(await goodIn(rig, 'unsaid')).toEqual([]);
  });

  it('k8up#86: gives up a Job whose claim is gone, and makes a backup of the files when it is there', async () => {
    await make('files', { source: { volume: { claimName: 'files' } }, startTimeout: '5s' });
    await rig.run('files', 'without');
    await rig.told('files', ({ lastAttempt }) =>
      expect(lastAttempt).toMatchObject({ job: 'without', outcome: 'Failed' }),
    );

    const resources = { requests: { storage: '16Mi' } };
    const spec = { accessModes: ['ReadWriteOnce'], resources };
    await rig.make({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'files' }, spec });
    await rig.there('patch', 'backup', 'files', '--type=merge', '-p', '{"spec":{"startTimeout":"10m"}}');
    await rig.run('files', 'with');
    await rig.told('files', ({ lastSuccess }) => expect(lastSuccess).toMatchObject({ job: 'with', verified: 'yes' }));
  });

  it('etcd-io PR#395: tells of each bad setting by a condition and an Event, and what to do', async () => {
    const source = { command: { command: ['date'] } };
    await make('no-bucket', { source, destination: { bucket: 'nowhere' } });
    await make('no-login', { source, destination: { secretName: 'wrong-keys' } });
    await make('no-secret', { source, destination: { secretName: 'nobody' } });
    for (const name of ['no-bucket', 'no-login', 'no-secret']) await rig.run(name, name);

    await isTold('no-bucket', 'BucketMissing', /make it, or correct/);
    await isTold('no-login', 'WrongCredentials', /correct the Secret/);
    await isTold('no-secret', 'SecretMissing', /make the Secret, or correct the secretName/);
  });

  it('is let go without its backups when the store is gone and somebody says so', async () => {
    const destination = { endpoint: 'http://127.0.0.1:1' };
    await make('lost', { destination, deletionPolicy: 'Delete' });
    await rig.there('delete', 'backup', 'lost', '--wait=false');
    await rig.told('lost', ({ conditions }) => {
      const removed = {
        type: 'Removed',
        reason: 'TargetUnreachable',
        message: expect.stringContaining('to leave them'),
      };
      expect(conditions).toContainEqual(expect.objectContaining(removed));
    });

    await rig.there('patch', 'backup', 'lost', '--type=merge', '-p', '{"spec":{"deletionPolicy":"Keep"}}');
    await eventually(async () => expect(await rig.find('backups', 'lost')).toBeUndefined(), LIMIT_MS);
  });

  it('is refused where it could never work, by the webhook and the schema', async () => {
    await isRefused('bad', { schedule: '0 3 31 2 *' }, /never comes: there is no such day in these months/);
    await isRefused('bad', { timeZone: 'Mars/Olympus' }, /there is no time zone "Mars\/Olympus"/);
    await isRefused('bad', { retention: { keep: -1 } }, /spec\.retention\.keep/);
    await isRefused('bad', { source: {} }, /spec\.source/);
    await isRefused('bad', { source: { mysql: {} } }, /unknown field \\?"(?:spec\.source\.)?mysql/);
    await isRefused('app-drill', {}, /the name of the drills of another Backup/);
    await isRefused('Bad', {}, /lower ?case/i);
    await isRefused('x'.repeat(41), {}, /at most 40 lower case letters/);
    await isRefused(
      'bad',
      { verify: 'Read', drill: { schedule: '@daily' } },
      /set verify to Restore, or leave drill out/,
    );
  });

  it('of Redis and etcd is restored, compared, and drilled', async () => {
    await rig.inServer('redis', 'REDISCLI_AUTH=redis-secret redis-cli SET greeting hello');
    await rig.inServer('etcd', 'etcdctl put greeting hello');
    const redis = { redis: { host: rig.host('redis'), secretName: 'redis' } };
    const etcd = { etcd: { endpoints: [`http://${rig.host('etcd')}:2379`] } };
    const schedule = '0 0 29 2 *';
    await make('redis', { source: redis, drill: { schedule, query: 'GET greeting', expect: 'hello' } });
    await make('etcd', { source: etcd, drill: { schedule } });
    for (const name of ['redis', 'etcd']) await rig.run(name, name);
    for (const name of ['redis', 'etcd']) {
      await rig.told(name, ({ lastSuccess }) => expect(lastSuccess).toMatchObject({ job: name, verified: 'yes' }));
      await rig.run(`${name}-drill`, `${name}-drilled`);
    }
    for (const name of ['redis', 'etcd']) {
      await rig.told(name, ({ lastDrill }) => expect(lastDrill).toMatchObject({ outcome: 'Succeeded' }));
    }
  });

  it('that is encrypted is drilled with the private key, and nobody reads it in the bucket', async () => {
    const key = execFileSync('age-keygen', { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    const identity = /^AGE-SECRET-KEY-\S+$/m.exec(key)?.[0] ?? '';
    const recipient = /public key: (\S+)/.exec(key)?.[1] ?? '';
    await rig.make({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'age' }, stringData: { identity } });
    const encryption = { recipients: [recipient], identitySecretName: 'age' };
    const query = 'select count(*) from notes';
    await make('private', { encryption, drill: { schedule: '0 0 29 2 *', query, expect: '1000' } });
    await rig.run('private', 'private');
    await rig.told('private', ({ lastSuccess }) => expect(lastSuccess).toMatchObject({ verified: 'yes' }));
    await rig.run('private-drill', 'private-drilled');
    await rig.told('private', ({ lastDrill }) => expect(lastDrill).toMatchObject({ answer: '1000' }));

    const dumps = (await rig.bucket(`${rig.backups}/private`)).filter((file) => file.endsWith('.age'));
    expect(dumps).toHaveLength(1);
  });
});

describe('whatever happens to a backup', { timeout: 3 * LIMIT_MS }, () => {
  it('a good one follows, and the last good one stays, in 4 rounds of chaos', async () => {
    const rounds = await backupChaos(rig, { rounds: 4, seed: 1 });

    expect(chaosFigures(rounds)).toHaveLength(5);
  });

  it('prometheus-operator#2950: an operator that starts anew changes no Backup and no CronJob', async () => {
    const versions = async (): Promise<readonly string[]> => {
      const all = [...(await rig.list('backups')), ...(await rig.list('cronjobs'))];
      return all.map(({ metadata }) => `${metadata.name} ${metadata['resourceVersion']}`);
    };
    const before = await versions();
    await rig.kubectl('delete', 'pod', '-l', 'app=backup', '--wait=true');
    await rig.kubectl('wait', '--for', 'condition=Available', '--timeout=120s', 'deployment/backup');
    await sleep(5000);

    expect(before.length).toBeGreaterThan(10);
    expect(await versions()).toEqual(before);
  });

  it('the operator was refused no request by its rights', async () => {
    const user = serviceAccountUser(OPERATOR.namespace, OPERATOR.name);
    expect(forbiddenRequests(await plane.auditLog(), user)).toEqual([]);
  });
});
