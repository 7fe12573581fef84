import { execFile, type ExecFileOptions } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePorts } from '../free-ports.ts';
import { ServerProcess } from '../server-process.ts';
import type { RunningSource } from './backup-source.ts';
import { eventually } from './eventually.ts';

const READY_MS = 200_000;
const PASSWORD = 'first-secret';
const SERVER_PATH = `PATH=$PATH:$(printf '%s\\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1)`;
// A server refuses to run as root. The hook keeps the capabilities of root that the test needs.
const AS_NOBODY = ['--reuid=nobody', '--regid=nogroup', '--clear-groups', '--'];

/** A new, empty PostgreSQL server. */
export interface PostgresqlServer extends AsyncDisposable {
  /** The settings with which its superuser connects. */
  readonly env: Env;
  /** Runs SQL from standard input in a database; returns the output. */
  sql(text: string, database?: string): Promise<string>;
}

type Env = Readonly<Record<string, string>>;

/** Starts a server whose user `postgres` has the password. */
export async function startPostgresql(password = PASSWORD): Promise<PostgresqlServer> {
  return startServer(
    password,
    (data) => `
echo '${password}' > '${data}.password'
initdb --pgdata='${data}' --username=postgres --pwfile='${data}.password' --auth=scram-sha-256 \\
  --no-sync --encoding=UTF8 --locale=C`,
  );
}

/** Starts a hot standby of a server. */
export async function startStandby({ env }: PostgresqlServer): Promise<PostgresqlServer> {
  const variables = Object.entries(env).map(([name, value]) => `${name}='${value}'`);
  return startServer(
    env['PGPASSWORD'] ?? '',
    (data) =>
      `${variables.join(' ')} pg_basebackup --pgdata='${data}' --write-recovery-conf --checkpoint=fast --no-sync`,
  );
}

/** Makes the data folder with a bash script, and starts a server on it. */
async function startServer(password: string, make: (data: string) => string): Promise<PostgresqlServer> {
  const folder = mkdtempSync(join(tmpdir(), 'hooklet-postgresql-'));
  chmodSync(folder, 0o777);
  const logFolder = join(folder, 'log');
  mkdirSync(logFolder);
  const [port = 0] = await freePorts(1);
  const script = `${SERVER_PATH}
set -e
${make(`${folder}/data`)}
exec postgres -D '${folder}/data' -k '' -p ${port} -c listen_addresses=127.0.0.1 -c fsync=off`;
  const shell = ['bash', '-c', script];
  const [program = '', ...args] = process.getuid?.() === 0 ? ['setpriv', ...AS_NOBODY, ...shell] : shell;
  const server = new ServerProcess(program, args, { logFolder });
  await server.start();
  const env = { PGHOST: '127.0.0.1', PGPORT: String(port), PGUSER: 'postgres', PGPASSWORD: password };
  const sql = sqlWith(env);
  const dispose = async (): Promise<void> => {
    await server.kill();
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  };
  // The server accepts connections before it can answer.
  await eventually(async () => void (await sql('select 1')), READY_MS).catch(async (error: unknown) => {
    await dispose();
    throw new Error('this test needs PostgreSQL: Debian package postgresql', { cause: error });
  });
  return {
    env,
    sql,
    [Symbol.asyncDispose]: dispose,
  };
}

/** Runs SQL with the given connection settings. */
export function sqlWith(env: Env): PostgresqlServer['sql'] {
  return async (text, database = 'postgres') => psql(text, { env: { ...process.env, ...env, PGDATABASE: database } });
}

async function psql(text: string, options: ExecFileOptions): Promise<string> {
  const running = promisify(execFile)('psql', ['-XAtq', '-v', 'ON_ERROR_STOP=1'], { ...options, encoding: 'utf8' });
  running.child.stdin?.end(text);
  return (await running).stdout.trim();
}

// A name that must be quoted everywhere.
const DATABASE = `the "app" 'of' ours`;
const FILL = `
create table notes (n serial, text text default md5(random()::text));
insert into notes select from generate_series(1, 20000);
select lo_from_bytea(4711, 'a large object');
create unlogged table "odd | ""name""" as select 1 as one;
alter role postgres set idle_in_transaction_session_timeout = 10;`;
const CONTENT = `
select count(*), md5(string_agg(text, '' order by n)), (select last_value from notes_n_seq),
  (select count(*) from "odd | ""name"""), (select string_agg(encode(data, 'escape'), '') from pg_largeobject) from notes`;

/** A server with a database. */
export async function postgresqlSource(): Promise<RunningSource> {
  const server = await startPostgresql();
  await server.sql(`create database "${DATABASE.replaceAll('"', '""')}"`);
  await server.sql(FILL, DATABASE);
  const content = async (): Promise<string> => server.sql(CONTENT, DATABASE);
  return {
    database: 'postgresql',
    env: { ...server.env, PGDATABASE: DATABASE },
    dumper: { program: 'pg_dump', file: '$work/parts/1.pgcustom' },
    content,
    restored: async (script) => {
      await server.sql('truncate notes; select lo_unlink(4711)', DATABASE);
      await script('--force');
      return content();
    },
    [Symbol.asyncDispose]: async () => server[Symbol.asyncDispose](),
  };
}

/** Runs a hook of PostgreSQL as a user that is not root, but can access the files of all users. */
export function asNobody(hook: string): string {
  const rights = '+kill,+dac_override';
  // Not by bash, which would run the commands that are meant for the hook.
  return `#!/bin/sh\nexec setpriv --inh-caps=${rights} --ambient-caps=${rights} ${AS_NOBODY.join(' ')} '${hook}' "$@"\n`;
}
