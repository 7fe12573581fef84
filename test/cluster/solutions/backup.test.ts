import type { CoreV1Event, V1Pod, V1Role } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forbiddenRequests, serviceAccountUser, unusedRules } from '../audit.ts';
import { sharedControlPlane } from '../shared-control-plane.ts';
import { OTHER_VERSION, startBackupCluster, type BackupCluster, type Database } from './backup-cluster.ts';
import { readmeCommands } from './backup-readme.ts';
import { eventually } from './eventually.ts';

const plane = sharedControlPlane();
// The limit of each wait, for slow machines.
const LIMIT_MS = 300_000;
const DATABASES: readonly Database[] = ['postgresql', 'redis', 'etcd'];
const ETCDCTL = 'etcdctl --endpoints=http://localhost:2379';

const running = new AsyncDisposableStack();
let cluster: BackupCluster;

beforeAll(async () => {
  cluster = running.use(await startBackupCluster(plane));
  await Promise.all(['postgresql', 'redis', 'etcd', 's3'].map((name) => isReady(`statefulset/${name}`)));
  await fill();
  await Promise.all(DATABASES.map(isPrepared));
}, 5 * LIMIT_MS);

afterAll(async () => {
  await running.disposeAsync();
}, LIMIT_MS);

async function isReady(workload: string): Promise<void> {
  await cluster.kubectl('rollout', 'status', workload, `--timeout=${LIMIT_MS / 1000}s`);
}

/** A replica is also ready before a leader is known, so this checks that the settings were checked. */
async function isPrepared(database: Database): Promise<void> {
  await isReady(`deployment/backup-${database}`);
  await eventually(async () => {
    expect(await cluster.logOf(database)).toMatch(/"binding":"guarded".*"msg":"hook finished"/);
  }, LIMIT_MS);
}

const sql = async (text: string, database = 'app'): Promise<string> =>
  cluster.inDatabase('postgresql', `psql -XAtq -h /tmp -U postgres -d ${database} -c "${text}"`);
const redis = async (words: string): Promise<string> =>
  cluster.inDatabase('redis', `REDISCLI_AUTH=redis-secret redis-cli ${words}`);

async function fill(): Promise<void> {
  await sql("create role backup login password 'postgresql-secret'; grant pg_read_all_data to backup", 'postgres');
  await sql("alter role postgres password 'postgres-secret'", 'postgres');
  await sql('create database app', 'postgres');
  await sql('create table notes as select n, md5(n::text) as text from generate_series(1, 1000) n');
  await redis('MSET a 1 b 2 c 3');
  await cluster.inDatabase('etcd', `${ETCDCTL} put /greeting hello`);
}

// What an attacker who has become superuser of the scratch server could do.
const AS_SCRATCH_SUPERUSER = `set -eu
word=0123456789abcdef0123456789abcdef
trap ': > /verify/wanted/password' EXIT
printf %s $word > /verify/wanted/password
unset "\${!PG@}"
export PGHOST=/verify/server PGUSER=scratch_0123456789abcdef PGPASSWORD=$word PGDATABASE=postgres
for _ in $(seq 300); do psql -Xqc '' 2> /dev/null && break; sleep 0.2; done
psql -XAtq -v ON_ERROR_STOP=1 <<'SQL'
create table seen (line text);
copy seen from program $$
  exec 2>&1
  echo "uid $(id -u)"
  env
  cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ | tr '\\0' ' '; echo
  cat /var/run/secrets/kubernetes.io/serviceaccount/token /var/run/secrets/kubernetes.io/serviceaccount/..data/token
  ls -R /scratch /backups /tmp
  for file in /verify/wanted/x /scratch/x /backups/x /hooks/x /var/run/secrets/kubernetes.io/serviceaccount/x; do
    touch $file && echo wrote $file
  done
  true
$$ with (format csv, delimiter e'\\x01', quote e'\\x02');
table seen;
SQL`;
const TRIGGER = ['hooklet', 'schedule', 'trigger', 'backup.sh', 'backup', '--wait'];

/** The Pods of the databases and the store, and how often their containers were started. */
async function databasePods(): Promise<readonly string[]> {
  const isOfOperator = ({ metadata }: V1Pod): boolean =>
    metadata?.labels?.['app.kubernetes.io/name'] === 'scheduled-backup';
  return (await cluster.list<V1Pod>('pods'))
    .filter((pod) => !isOfOperator(pod))
    .map(({ metadata, status }) => {
      const restarts = status?.containerStatuses?.map(({ restartCount }) => restartCount).join();
      return `${metadata?.name} ${metadata?.uid} ${restarts}`;
    })
    .toSorted();
}

/** What an operator knows of the runs of its schedule. */
async function scheduleOf(database: Database): Promise<unknown> {
  return JSON.parse((await cluster.inBackup(database, 'hooklet', 'schedule', 'list', '-o', 'json')).stdout);
}

/** Triggers a backup, and waits until it is made. */
async function backUp(database: Database): Promise<void> {
  const { exitCode, stderr } = await cluster.inBackup(database, ...TRIGGER);
  if (exitCode === 0) return;
  throw new Error(`no backup of ${database}, exit code ${exitCode}: ${stderr}\n${await cluster.logOf(database)}`);
}

/** Waits until the last run is recorded as succeeded; until then no other run begins. */
async function hasSucceeded(database: Database): Promise<void> {
  await eventually(async () => {
    const { stdout } = await cluster.inBackup(database, 'hooklet', 'schedule', 'list', '-o', 'json');
    expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ binding: 'backup', outcome: 'succeeded' }));
  }, LIMIT_MS);
}

async function backups(database: Database): Promise<readonly string[]> {
  const { stdout } = await cluster.inBackup(database, `/restore/${database}.sh`, '--list');
  return stdout.trim().split('\n');
}

async function eventsOn(kind: string): Promise<readonly CoreV1Event[]> {
  return (await cluster.list<CoreV1Event>('events')).filter(({ involvedObject }) => involvedObject.kind === kind);
}

describe('the solution, installed beside three databases', { timeout: 5 * LIMIT_MS }, () => {
  it('makes a verified backup of each', async () => {
    await Promise.all(DATABASES.map(backUp));

    expect(await backups('postgresql')).toEqual([
      expect.stringMatching(/verified: yes {2}\{"tables":1,"rows":1000,"largeObjects":0\}/),
    ]);
    expect(await backups('redis')).toEqual([expect.stringMatching(/verified: yes {2}\{"keys":3\}/)]);
    expect(await backups('etcd')).toEqual([
      expect.stringMatching(/verified: yes {2}\{"revision":\d+,"entries":\d+,"membersAlike":1\}/),
    ]);
  });

  it('has nothing in reach of what is restored to be verified: no key, no token, no backup, nobody else', async () => {
    const { exitCode, stdout, stderr } = await cluster.inBackup('postgresql', 'bash', '-c', AS_SCRATCH_SUPERUSER);

    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
    expect(stdout).toContain('uid 65533');
    // The attacker sees all of its own container, which contains nothing of value.
    expect(stdout).toContain('scratch-server.sh');
    expect(stdout).not.toMatch(/postgresql-secret|s3-secret|AWS_|PGPASSWORD|main\.js|eyJ|^wrote /m);
    expect(await cluster.inBackup('postgresql', 'cat', '/verify/wanted/password')).toMatchObject({ stdout: '' });
  });

  it('gives back what was backed up, and destroys nothing without being told to', async () => {
    await sql('delete from notes where n > 10');
    await redis('DEL a b');

    const refused = await cluster.inBackup('redis', '/restore/redis.sh');
    const done = await cluster.inBackup('redis', '/restore/redis.sh', '--force');

    expect(refused).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/has 1 keys and 0 libraries of functions: with --force/),
    });
    expect(done).toMatchObject({ exitCode: 0 });
    expect(await redis('MGET a b c')).toBe('1\n2\n3');

    // The user of the backups may only read.
    await sql('alter role backup createdb superuser', 'postgres');
    const notRestored = await cluster.inBackup('postgresql', '/restore/postgresql.sh');
    const restored = await cluster.inBackup('postgresql', '/restore/postgresql.sh', '--force');
    await sql('alter role backup nocreatedb nosuperuser', 'postgres');
    expect(notRestored).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/has 1 tables: with --force/) });
    expect(restored).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/is kept as database app_before_/) });
    expect(await sql('select count(*), md5(string_agg(text, text order by n)) from notes')).toMatch(/^1000\|/);

    const member =
      '--name m --initial-cluster m=http://localhost:2380 --initial-advertise-peer-urls http://localhost:2380';
    const script = `set -e; /restore/etcd.sh --data-dir /scratch/new ${member}
etcd --name m --data-dir /scratch/new --log-level error & trap "kill $!" EXIT
unset ETCDCTL_ENDPOINTS
until ${ETCDCTL} --command-timeout=10s get --print-value-only /greeting; do sleep 0.1; done; rm -r /scratch/new`;
    expect((await cluster.inBackup('etcd', 'bash', '-c', script)).stdout).toMatch(/hello\n$/);
  });

  it('brings back a database that is gone, by the commands of its README', async () => {
    const [list = [], restore = [], ...others] = await readmeCommands('Restore', 'kubectl');
    await sql('drop database app', 'postgres');

    const listed = await cluster.kubectlExec(list);
    const restored = await cluster.kubectlExec(restore, 'postgres-secret\n');

    expect(listed).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/verified: yes/) });
    expect(restored).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/restored backup .* to database app/),
    });
    expect(await sql('select count(*) from notes')).toBe('1000');
    expect(others).toEqual([]);
  });

  it('changes nothing in the cluster by another run but what tells of it, and keeps as many backups as it is told', async () => {
    const asked = (await plane.auditLog()).length;
    const before = await Promise.all(DATABASES.map(backups));

    await Promise.all(DATABASES.map(backUp));

    const accounts = DATABASES.map((database) => serviceAccountUser(cluster.namespace, `backup-${database}`));
    // The end of a run may be recorded a moment later.
    const written = await eventually(async () => {
      const found = (await plane.auditLog())
        .slice(asked)
        .filter(({ user, verb }) => accounts.includes(user) && !['get', 'list', 'watch'].includes(verb))
        .map(({ verb, resource, name }) => `${verb} ${resource} ${name}`);
      for (const database of DATABASES) expect(found).toContain(`patch configmaps backup-${database}`);
      return found;
    }, LIMIT_MS);
    const own = /^(?:patch configmaps|update leases) backup-(?:postgresql|redis|etcd)$/;
    expect(written.filter((text) => !own.test(text))).toEqual([]);
    const after = await Promise.all(DATABASES.map(backups));
    for (const [index, names] of after.entries()) {
      expect(names).toHaveLength(1);
      expect(names).not.toEqual(before[index]);
    }
  });

  it('is upgraded without a restart of a database, another backup, a lost state, or a write but of who makes backups', async () => {
    const facts = async (): Promise<unknown> => ({
      pods: await databasePods(),
      backups: await Promise.all(DATABASES.map(backups)),
      schedules: await Promise.all(DATABASES.map(scheduleOf)),
    });
    await Promise.all(DATABASES.map(hasSucceeded));
    const before = await facts();
    const asked = (await plane.auditLog()).length;

    for (const database of DATABASES) {
      await cluster.kubectl('set', 'image', `deployment/backup-${database}`, `*=${OTHER_VERSION}`);
    }
    await Promise.all(DATABASES.map(isPrepared));

    const images = (await Promise.all(DATABASES.map(async (database) => cluster.podsOf(database)))).flatMap((pods) =>
      pods.flatMap(({ spec }) => spec?.containers.map(({ image }) => image)),
    );
    expect(new Set(images)).toEqual(new Set([OTHER_VERSION]));
    expect(await facts()).toEqual(before);
    const asksOnly = ['get', 'list', 'watch', 'selfsubjectaccessreviews'];
    const written = (await plane.auditLog())
      .slice(asked)
      .filter(({ user }) => DATABASES.some((one) => user === serviceAccountUser(cluster.namespace, `backup-${one}`)))
      .filter(({ verb, resource }) => !asksOnly.includes(verb) && !asksOnly.includes(resource))
      .map(({ verb, resource, name }) => `${verb} ${resource} ${name}`);
    // Who leads, and that it leads, which each Pod tells of itself.
    const own =
      /^(?:update leases backup-(?:postgresql|redis|etcd)|create events backup-\w+-[0-9a-z]+-[0-9a-z]+\.\w+)$/;
    expect(written.filter((text) => !own.test(text))).toEqual([]);
  });

  it('tells of a target that is full, and goes on when there is room', async () => {
    const kept = await Promise.all([backups('redis'), backups('postgresql')]);
    const { namespace, kubelet } = cluster;
    const free = [await kubelet.fillDisk(namespace, 'backup-redis'), await kubelet.fillDisk(namespace, 'data-s3-0')];
    // A failed run is retried, so the exit code may be that of either attempt.
    const runs = Promise.all([cluster.inBackup('redis', ...TRIGGER), cluster.inBackup('postgresql', ...TRIGGER)]);

    await eventually(async () => {
      const reasons = (await eventsOn('StatefulSet')).map(
        ({ involvedObject, reason }) => `${involvedObject.name} ${reason}`,
      );
      expect(reasons).toContain('redis BackupTargetFull');
      expect(reasons.some((text) => /^postgresql BackupTarget(?:Full|Failed)$/.test(text))).toBe(true);
    }, LIMIT_MS);
    for (const release of free) await release();
    await runs;

    for (const [index, database] of (['redis', 'postgresql'] as const).entries()) {
      await eventually(async () => expect((await backups(database)).at(-1)).not.toBe(kept[index]?.at(-1)), LIMIT_MS);
      await hasSucceeded(database);
    }
  });

  it('has one Pod of two make backups, and the other one when that is killed', async () => {
    await cluster.kubectl('scale', 'deployment/backup-redis', '--replicas=2');
    await isReady('deployment/backup-redis');
    const pods = (await cluster.podsOf('redis')).map(({ metadata }) => metadata?.name ?? '');
    const trigger = async (name: string): Promise<number> => {
      return (await cluster.kubelet.exec({ namespace: cluster.namespace, name }, TRIGGER)).exitCode;
    };
    const before = (await backups('redis')).at(-1);
    const codes = await Promise.all(pods.map(trigger));
    expect(codes.toSorted((a, b) => a - b)).toEqual([0, 1]);
    const leader = pods[codes.indexOf(0)] ?? '';
    const other = pods[codes.indexOf(1)] ?? '';
    expect((await backups('redis')).at(-1)).not.toBe(before);

    // Together with its node, so that it does not return before the other replica notices.
    const comesBack = await cluster.kubelet.cutOff({ namespace: cluster.namespace, name: leader });
    await cluster.kubelet.kill({ namespace: cluster.namespace, name: leader });

    await eventually(async () => expect(await trigger(other)).toBe(0), LIMIT_MS);
    await comesBack();
    await cluster.kubectl('scale', 'deployment/backup-redis', '--replicas=1');
  });

  it('says what is wrong with its settings, and what to do', async () => {
    await Promise.all([
      cluster.setEnv('postgresql', { S3_BUCKET: 'nowhere' }),
      cluster.setEnv('etcd', { AWS_SECRET_ACCESS_KEY: 'wrong' }),
      cluster.setEnv('redis', { BACKUP_CRONTAB: '0 0 31 2 *', BACKUP_TIME_ZONE: 'Mars/Olympus' }),
    ]);

    await eventually(async () => {
      const events = (await eventsOn('StatefulSet')).map(({ reason, message, involvedObject }) => [
        involvedObject.name,
        reason,
        message,
      ]);
      expect(events).toContainEqual([
        'postgresql',
        'BackupBucketMissing',
        expect.stringMatching(/make it, or correct S3_BUCKET/),
      ]);
      expect(events).toContainEqual(['etcd', 'BackupWrongCredentials', expect.stringMatching(/correct the Secret/)]);
      const broken = (await eventsOn('Pod'))
        .filter(({ reason }) => reason === 'HookBroken')
        .map(({ message }) => message);
      expect(broken.join('\n')).toMatch(/its config has \d+ problem\(s\); ERR_HOOK_CONFIG/);
    }, LIMIT_MS);
    const describe = await cluster.kubectl('describe', 'statefulset', 'postgresql');
    expect(describe).toContain('BackupBucketMissing');
    await eventually(async () => {
      const [pod] = await cluster.podsOf('postgresql');
      const address = cluster.kubelet.addressOf({ namespace: cluster.namespace, name: pod?.metadata?.name ?? '' });
      const metrics = await (await fetch(`http://${address}:9115/metrics/hooks`)).text();
      expect(metrics).toMatch(/backup_failures_total\{.*reason="BucketMissing".*\} \d/);
    }, LIMIT_MS);
  });

  it('leaves the databases alone while it is stopped', async () => {
    await cluster.kubectl('scale', 'deployment', '--all', '--replicas=0');
    await eventually(async () => {
      expect(await cluster.list('pods', '-l', 'app.kubernetes.io/name=scheduled-backup')).toEqual([]);
    }, LIMIT_MS);

    await sql('insert into notes values (0, null)');
    expect(await redis('SET d 4')).toBe('OK');
    expect(await cluster.inDatabase('etcd', `${ETCDCTL} put /greeting again`)).toBe('OK');
  });

  it('was refused nothing, and was granted nothing it has not used', async () => {
    const entries = await plane.auditLog();

    for (const database of DATABASES) {
      const user = serviceAccountUser(cluster.namespace, `backup-${database}`);
      const roles = await cluster.list<V1Role>('roles', '-l', `app.kubernetes.io/instance=backup-${database}`);
      expect(forbiddenRequests(entries, user)).toEqual([]);
      expect(roles).toHaveLength(1);
      expect(
        unusedRules(
          roles.flatMap(({ rules }) => rules ?? []),
          entries,
          user,
        ),
        database,
      ).toEqual([]);
    }
  });
});
