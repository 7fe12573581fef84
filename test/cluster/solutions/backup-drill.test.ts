import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  backupFolder,
  nameOf,
  ownBackupFolder,
  backupSolution,
  tickOf,
  type BackupFolder,
} from '../../support/backup-folder.ts';
import { readScriptConfig, runScript, type ScriptResult } from '../../support/script-rig.ts';
import { controlPlaneAssets } from '../assets.ts';
import { startEtcdMembers } from './backup-etcd-members.ts';
import { asNobody, startPostgresql, type PostgresqlServer } from './backup-postgresql.ts';
import { startRedis, type RedisServer } from './backup-redis.ts';
import { startBackupServers, type BackupServers } from './backup-servers.ts';

const LIMIT_MS = 300_000;
const hookOf = (database: string, name: string): string => join(backupSolution, 'hooks', database, name);
const CHECK = { binding: 'guarded', type: 'Synchronization', objects: [{ filterResult: 'the-uid' }] };
const DRILL = { binding: 'drill', runId: 'drill-1' };

type Env = Readonly<Record<string, string>>;

const running = new AsyncDisposableStack();
let servers: BackupServers;
let folder: BackupFolder;

beforeAll(async () => {
  servers = running.use(await startBackupServers());
}, LIMIT_MS);

afterAll(async () => {
  await running.disposeAsync();
});

beforeEach(() => {
  folder = backupFolder();
});

async function run(hook: string, context: object, env: Env): Promise<ScriptResult> {
  return runScript(hook, { contexts: [context], env: { ...folder.env, ...env } });
}

async function started(): Promise<RedisServer> {
  const server = await startRedis();
  onTestFinished(async () => server[Symbol.asyncDispose]());
  return server;
}

async function backedUpRedis(env: Env = {}, filled = 'hello'): Promise<RedisServer> {
  const server = await started();
  await server.ask('SET', 'greeting', filled);
  const { failure } = await run(hookOf('redis', 'backup.sh'), tickOf(1), { ...server.env, ...env });
  expect(failure).toBeUndefined();
  return server;
}

const drillRedis = async (server: RedisServer, env: Env = {}): Promise<ScriptResult> =>
  run(hookOf('redis', 'drill.sh'), tickOf(2, DRILL), { ...server.env, ...env });

interface Metric {
  readonly name?: string;
  readonly value?: number;
  readonly labels?: Env;
  readonly action: string;
  readonly group?: string;
}

const metricsOf = ({ metrics }: ScriptResult): readonly Metric[] =>
  metrics
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

const eventOf = ({ patch }: ScriptResult): object => JSON.parse(patch).object;

describe('a drill', { timeout: LIMIT_MS }, () => {
  it.each(['volume', 's3'])('restores the newest backup from %s, and tells what it answers', async (target) => {
    const env = { ...servers.env, BACKUP_TARGET: target, S3_PREFIX: folder.root.split('/').at(-1) ?? '' };
    const server = await backedUpRedis(env);
    await server.ask('SET', 'greeting', 'of today');

    const result = await drillRedis(server, { ...env, DRILL_QUERY: 'GET greeting', DRILL_EXPECT: 'hello' });

    expect(result.failure).toBeUndefined();
    expect(eventOf(result)).toMatchObject({
      type: 'Normal',
      reason: 'BackupDrillSucceeded',
      involvedObject: { uid: 'the-uid' },
      message: expect.stringMatching(new RegExp(`backup ${nameOf(1)}, of .* answers to DRILL_QUERY with "hello"`)),
    });
    const values = Object.fromEntries(metricsOf(result).map(({ name, value }) => [name, value]));
    const now = Date.now() / 1000;
    expect(values['drill_last_success_timestamp_seconds']).toBeGreaterThan(now - LIMIT_MS / 1000);
    expect(values['drill_last_success_timestamp_seconds']).toBeLessThanOrEqual(now);
    expect(values['drill_duration_seconds']).toBeLessThan(LIMIT_MS / 1000);
    expect(values['drill_backup_age_seconds']).toBeLessThan(LIMIT_MS / 1000);
    expect(metricsOf(result)).toContainEqual({ group: 'drill-redis-failing', action: 'expire' });
    expect(existsSync(join(folder.env['BACKUP_SCRATCH'] ?? '', 'redis-drill'))).toBe(false);
    expect(await server.ask('GET', 'greeting')).toBe('of today');

    const again = await run(hookOf('redis', 'drill.sh'), CHECK, { ...server.env, ...env });
    expect(again.failure).toBeUndefined();
    expect(metricsOf(again).find(({ name }) => name === 'drill_last_success_timestamp_seconds')?.value).toBe(
      values['drill_last_success_timestamp_seconds'],
    );
  });

  it('succeeds also where the answer is a number that no metric can have', async () => {
    const server = await backedUpRedis();

    const result = await drillRedis(server, { DRILL_QUERY: 'ECHO nan' });

    expect(result.failure).toBeUndefined();
    const names = metricsOf(result).flatMap(({ name }) => name ?? []);
    expect(names).toContain('drill_last_success_timestamp_seconds');
    expect(names).not.toContain('drill_answer');
  });

  it.each(['{"drilledAt":"soon"}', '{', '[1]', `"${'x'.repeat(70_000)}"`])(
    'is not stopped at the start by a drill.json that no drill has written (%$)',
    async (text) => {
      const server = await backedUpRedis();
      writeFileSync(join(folder.root, 'backups', 'default', 'redis', 'drill.json'), text);

      const { failure, printed } = await run(hookOf('redis', 'drill.sh'), CHECK, server.env);

      expect(failure).toBeUndefined();
      expect(printed.filter((line) => String(line).includes('ignored'))).toHaveLength(1);
    },
  );

  it.each([{ DRILL_MINIMUM: '010' }, { DRILL_MINIMUM: '-0' }])('is refused %o', async (wrong) => {
    const { failure } = await drillRedis(await started(), { ...wrong, DRILL_QUERY: 'DBSIZE' });

    expect(failure).toContain(`DRILL_MINIMUM is "${wrong.DRILL_MINIMUM}", expected a whole number`);
  });

  it.each([
    [
      'another answer',
      { DRILL_QUERY: 'GET greeting', DRILL_EXPECT: 'bye' },
      'QueryWrong',
      'answered with "hello", expected "bye"',
    ],
    [
      'too small a number',
      { DRILL_QUERY: 'DBSIZE', DRILL_MINIMUM: '2' },
      'QueryWrong',
      'answered with "1", expected 2 or more',
    ],
    [
      'a word for a number',
      { DRILL_QUERY: 'GET greeting', DRILL_MINIMUM: '2' },
      'QueryWrong',
      'answered with "hello", expected 2 or more',
    ],
    ['no answer', { DRILL_QUERY: 'GET "not there"' }, 'QueryWrong', 'is answered with nothing'],
    ['an error', { DRILL_QUERY: 'LPUSH greeting x' }, 'QueryFailed', 'WRONGTYPE'],
    ['a query that is cut off', { DRILL_QUERY: 'GET "greeting' }, 'QueryFailed', 'unmatched double quote'],
    ['no query', { DRILL_EXPECT: 'hello' }, 'BadSettings', 'DRILL_QUERY is not set'],
    [
      'a minimum that is no number',
      { DRILL_QUERY: 'DBSIZE', DRILL_MINIMUM: 'many' },
      'BadSettings',
      'DRILL_MINIMUM is "many"',
    ],
  ])('with %s fails', async (_, env, reason, words) => {
    const server = await backedUpRedis();

    const result = await drillRedis(server, env);

    expect(result.failure).toContain(`${reason}: drill of redis, step `);
    expect(result.failure).toContain(words);
    expect(eventOf(result)).toMatchObject({ type: 'Warning', reason: `BackupDrill${reason}` });
    const labels = { name: 'redis', reason };
    expect(metricsOf(result)).toContainEqual(
      expect.objectContaining({ name: 'drill_failing', value: 1, labels, ignoreHookError: true }),
    );
  });

  it('finds that the newest backup is damaged, or that there is none', async () => {
    const server = await backedUpRedis();
    truncateSync(join(folder.root, 'backups', 'default', 'redis', nameOf(1), 'dump.rdb'), 40);

    expect((await drillRedis(server)).failure).toContain('BackupDamaged: drill of redis, step fetch: ');

    folder = backupFolder();
    expect((await drillRedis(server)).failure).toContain('NoBackup: drill of redis, step choose: ');
  });

  it('takes the backup of a database whose folder was taken over, as long as there is no newer one', async () => {
    const server = await backedUpRedis();
    const path = join(folder.root, 'backups', 'default', 'redis', 'owner.json');
    const owner = JSON.parse(readFileSync(path, 'utf8'));
    writeFileSync(path, JSON.stringify({ ...owner, identity: 'redis/another', takenOver: [owner.identity] }));

    const result = await drillRedis(server);

    expect(result.failure).toBeUndefined();
    expect(eventOf(result)).toMatchObject({ message: expect.stringContaining(`backup ${nameOf(1)}, of `) });
  });

  it('decrypts with the private key, and fails without', async () => {
    const text = execFileSync('age-keygen', { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    const [, recipient = ''] = /# public key: (\S+)/.exec(text) ?? [];
    const path = join(folder.root, 'identity');
    writeFileSync(path, text);
    const server = await backedUpRedis({ BACKUP_AGE_RECIPIENTS: recipient });

    const withKey = await drillRedis(server, { BACKUP_AGE_IDENTITY_FILE: path, DRILL_QUERY: 'GET greeting' });
    const without = await drillRedis(server);

    expect(withKey.failure).toBeUndefined();
    expect(without.failure).toContain(`KeyMissing: drill of redis, step fetch: backup ${nameOf(1)} is encrypted for`);
  });

  it('is not begun a fourth time when it was interrupted 3 times', async () => {
    const server = await backedUpRedis();

    const { failure } = await run(hookOf('redis', 'drill.sh'), tickOf(2, { ...DRILL, attempt: 4 }), server.env);

    expect(failure).toContain('Interrupted: drill of redis, step start: the drill was interrupted 3 times');
  });
});

// The database of an owner who may not be trusted.
const FILL = `
create table notes as select generate_series(1, 9) as n;
create schema own authorization own;
set role own;
create table own.hidden as select generate_series(1, 3) as n;
alter table own.hidden enable row level security;
alter table own.hidden force row level security;
create sequence own.counter start 7;
create function own.become() returns int language plpgsql as $$begin execute 'set role other'; return 1; end$$;
create function own.write() returns int language plpgsql as $$begin insert into own.hidden values (1); return 1; end$$;
create view own.becomes_other as select own.become();
create view own.writes as select own.write();`;

/** A server with a backup, and the hook that drills it. */
async function backedUpPostgresql(
  server: PostgresqlServer,
): Promise<{ readonly drillHook: string; readonly env: Env }> {
  await server.sql('create role own; create role other');
  await server.sql('create database app');
  await server.sql(`grant all on database app to own`);
  await server.sql(FILL, 'app');
  await server.sql('grant select on notes to other', 'app');
  const [backupHook = '', drillHook = ''] = ['backup.sh', 'drill.sh'].map((name) => {
    const path = join(folder.root, name);
    writeFileSync(path, asNobody(hookOf('postgresql', name)), { mode: 0o755 });
    return path;
  });
  const env = { ...server.env, PGDATABASE: 'app' };
  expect((await run(backupHook, tickOf(1), env)).failure).toBeUndefined();
  return { drillHook, env };
}

describe('a drill of another database', { timeout: LIMIT_MS }, () => {
  it('starts a member of etcd from its snapshot', async () => {
    await using members = await startEtcdMembers(3);
    const { etcd } = await controlPlaneAssets(process.env);
    const env = { ...members.env, PATH: `${dirname(etcd)}:${members.env['PATH'] ?? ''}` };
    for (const name of ['a', 'b', 'c']) await members.ask('put', `/names/${name}`, name);
    expect((await run(hookOf('etcd', 'backup.sh'), tickOf(1), env)).failure).toBeUndefined();
    await members.ask('del', '--prefix', '/names');

    const counted = { ...env, DRILL_QUERY: 'get --prefix /names --count-only', DRILL_MINIMUM: '3' };
    const result = await run(hookOf('etcd', 'drill.sh'), tickOf(2, DRILL), counted);

    expect(result.failure).toBeUndefined();
    expect(metricsOf(result)).toContainEqual({
      name: 'drill_answer',
      action: 'set',
      value: 3,
      labels: { name: 'etcd' },
    });
  });

  it('asks a PostgreSQL with the rows of its dump', async () => {
    await using server = await startPostgresql();
    const { drillHook, env } = await backedUpPostgresql(server);
    await server.sql('delete from notes', 'app');

    const counted = { ...env, DRILL_QUERY: 'select count(*) from notes', DRILL_MINIMUM: '9' };
    const result = await run(drillHook, tickOf(2, DRILL), counted);

    expect(result.failure).toBeUndefined();
    expect(eventOf(result)).toMatchObject({ message: expect.stringContaining('answers to DRILL_QUERY with "9"') });
    for (const query of [`copy notes to program 'cat'`, 'select pg_read_file($$/etc/passwd$$)']) {
      const asked = await run(drillHook, tickOf(2, DRILL), { ...env, DRILL_QUERY: query });
      expect(asked.failure).toMatch(/QueryFailed: .* (?:permission denied|must be superuser)/);
    }
  });
});

describe('a drill of another database', { timeout: LIMIT_MS }, () => {
  const one = new AsyncDisposableStack();
  let drilled: { readonly root: BackupFolder; readonly drillHook: string; readonly env: Env };

  // What is asked changes neither the server nor its backup, so that one is enough for all questions.
  beforeAll(async () => {
    const root = one.use(ownBackupFolder());
    folder = root;
    drilled = { root, ...(await backedUpPostgresql(one.use(await startPostgresql()))) };
  }, LIMIT_MS);

  afterAll(async () => one.disposeAsync());

  const drill = async (more: Env): Promise<ScriptResult> => {
    folder = drilled.root;
    return run(drilled.drillHook, tickOf(2, DRILL), { ...drilled.env, ...more });
  };

  it.each([
    ['insert into notes values (10)', 'cannot execute INSERT in a read-only transaction'],
    ['truncate notes; drop table notes', 'cannot execute TRUNCATE TABLE in a read-only transaction'],
    ['set default_transaction_read_only = off; commit; delete from notes', 'permission denied for table notes'],
    ['set default_transaction_read_only = off; commit; drop table notes', 'must be owner of table notes'],
    ['set role own', 'permission denied to set role "own"'],
    ['select * from own.becomes_other', 'permission denied to set role "other"'],
    ['select * from own.writes', 'cannot execute INSERT in a read-only transaction'],
  ])('lets nobody write to what was restored: %s', async (query, words) => {
    const result = await drill({ DRILL_QUERY: query });

    expect(result.failure).toContain('QueryFailed: drill of postgresql, step query: ');
    expect(result.failure).toContain(words);
  });

  it('has a PostgreSQL answer of all rows there are, whoever may see them', async () => {
    const query = 'select (select count(*) from own.hidden), (select count(*) from notes), last_value from own.counter';

    const result = await drill({ DRILL_QUERY: query, DRILL_EXPECT: '3|9|7' });

    expect(result.failure).toBeUndefined();
  });
});

describe('the config of the drills', () => {
  it.each(['postgresql', 'redis', 'etcd'])('of %s is what the settings say, and weekly without', async (database) => {
    const path = hookOf(database, 'drill.sh');

    expect(await readScriptConfig(path)).toContain('crontab: "0 6 * * 0"');
    expect(await readScriptConfig(path, { DRILL_CRONTAB: '0 7 1 * *' })).toContain('crontab: "0 7 1 * *"');
    for (const off of [{ DRILL_CRONTAB: 'never' }, { BACKUP_VERIFY: 'read' }, { BACKUP_AGE_RECIPIENTS: 'age1x' }]) {
      expect(await readScriptConfig(path, off)).not.toContain('crontab');
    }
  });
});
