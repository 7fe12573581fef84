import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { backupFolder, backupSolution, tickOf } from '../../support/backup-folder.ts';
import { runScript } from '../../support/script-rig.ts';
import { startPostgresql, type PostgresqlServer } from './backup-postgresql.ts';
import { backUpPostgresql } from './backup-run.ts';

const LIMIT_MS = 600_000;
const RESTORE = join(backupSolution, 'restore', 'postgresql.sh');
const CLUSTER = { POSTGRESQL_SCOPE: 'cluster' };
// Settings that the owner of a database may set for all its sessions.
const HOSTILE = [
  `role = 'own'`,
  'quote_all_identifiers = on',
  `client_encoding = 'LATIN1'`,
  `timezone = 'Asia/Kolkata'`,
  `datestyle = 'SQL, DMY'`,
  `intervalstyle = 'sql_standard'`,
  `bytea_output = 'escape'`,
  'extra_float_digits = -15',
  'standard_conforming_strings = off',
  'backslash_quote = off',
  'array_nulls = off',
  'transform_null_equals = on',
  `xmlbinary = 'hex'`,
  `xmloption = 'document'`,
  'default_transaction_read_only = on',
  `default_transaction_isolation = 'serializable'`,
  'default_transaction_deferrable = on',
  'statement_timeout = 1',
  'lock_timeout = 1',
  'idle_in_transaction_session_timeout = 1',
  'idle_session_timeout = 1',
  'row_security = on',
  `search_path = own, pg_catalog`,
  `default_tablespace = ''`,
  `default_table_access_method = 'heap'`,
  'exit_on_error = on',
  `local_preload_libraries = 'missing'`,
  `client_min_messages = 'debug5'`,
];
// Each session is idle for longer than a timeout of HOSTILE before its first query.
const SLOW_PSQL = `#!/bin/bash
PATH=\${PATH#*"\${0%/*}":}
exec psql -c '\\! sleep 0.05' "$@"
`;
const FILL = `
create schema own authorization own;
set role own;
create table own."Tä" (n int, at timestamptz default now(), price money, long interval, bytes bytea, f float8, x xml);
insert into own."Tä" select i, '2024-03-05', i::numeric::money, '1 day 2 hours', '\\xff00', 0.1::float8 / 3, '<a/>'
  from generate_series(1, 5) i;
create view own.view as select count(*) from own."Tä" where n = 1;`;

async function started(): Promise<PostgresqlServer> {
  const server = await startPostgresql();
  await server.sql('create role own login');
  await server.sql('create database theirs owner own');
  return server;
}

/** Applies the settings in a new session, which none of them affects yet. */
async function set(server: PostgresqlServer, settings: readonly string[]): Promise<void> {
  await server.sql(`set role own;\n${settings.map((one) => `alter database theirs set ${one};`).join('\n')}`);
}

describe('a backup of PostgreSQL', { timeout: LIMIT_MS }, () => {
  it('of a whole server is verified where roles end, and its time zone is not UTC', async () => {
    await using server = await startPostgresql();
    await server.sql(`alter system set timezone = 'Europe/Berlin'`);
    await server.sql('select pg_reload_conf()');
    await server.sql(
      `create role one login valid until '2030-01-01 00:00:00+00'; create role two valid until 'infinity'`,
    );

    const run = await backUpPostgresql({ ...server.env, ...CLUSTER });

    expect(run.failure, run.said).toBeUndefined();
    expect(run.manifest).toMatchObject({ verified: 'yes' });
    await using fresh = await startPostgresql();
    await run.restoreTo(fresh.env);
    const end = `set timezone = 'UTC'; select rolvaliduntil from pg_roles where rolname = 'one'`;
    expect(await fresh.sql(end)).toBe('2030-01-01 00:00:00+00');
  });

  it.each([
    ['role', [HOSTILE[0] ?? '']],
    ['quoting', [HOSTILE[1] ?? '']],
    ['encoding', [HOSTILE[2] ?? '']],
    ['settings all', HOSTILE],
  ])('is not stopped by what the owner of a database sets for it: %s', async (_, settings) => {
    await using server = await started();
    await server.sql(FILL, 'theirs');
    const before = await server.sql('table own."Tä"', 'theirs');
    await set(server, settings);

    const programs = { psql: SLOW_PSQL };
    const all = await backUpPostgresql({ ...server.env, ...CLUSTER }, programs);
    const one = await backUpPostgresql({ ...server.env, PGDATABASE: 'theirs' }, programs);

    for (const run of [all, one]) {
      expect(run.failure, run.said).toBeUndefined();
      expect(run.manifest).toMatchObject({ verified: 'yes', counts: { tables: 1, rows: 5 } });
    }
    await using fresh = await startPostgresql();
    await all.restoreTo(fresh.env);
    await fresh.sql('alter database theirs reset all');
    expect(await fresh.sql('table own."Tä"', 'theirs')).toBe(before);
    await one.restoreTo({}, '--force');
    await server.sql('alter database theirs reset all');
    expect(await server.sql('table own."Tä"', 'theirs')).toBe(before);
  });

  it.each(['LATIN1', 'EUC_JP', 'SQL_ASCII'])('is verified of a database with the encoding %s', async (encoding) => {
    await using server = await startPostgresql();
    await server.sql(`create database theirs encoding ${encoding} lc_collate 'C' lc_ctype 'C' template template0`);
    const letter = encoding === 'EUC_JP' ? 'あ' : 'ä';
    // With SQL_ASCII, the bytes are not valid UTF-8.
    const bytes = encoding === 'SQL_ASCII' ? String.raw`E'\xff\xfe'` : `'${letter}'`;
    await server.sql(`set client_encoding = 'UTF8'; create table "T${letter}" as select ${bytes}::text as t`, 'theirs');
    const before = await server.sql(
      `set client_encoding = 'UTF8'; select md5(t), octet_length(t) from "T${letter}"`,
      'theirs',
    );

    const run = await backUpPostgresql({ ...server.env, ...CLUSTER });

    expect(run.failure, run.said).toBeUndefined();
    await using fresh = await startPostgresql();
    await run.restoreTo(fresh.env);
    const after = `set client_encoding = 'UTF8'; select md5(t), octet_length(t) from "T${letter}"`;
    expect(await fresh.sql(after, 'theirs')).toBe(before);
  });

  it('counts rows and large objects whatever schemas and tables are called', async () => {
    await using server = await started();
    const names = ['large objects', 'large objects|x', 'large objects\n|7', `'a' "b"`, '|', 'x\\y'];
    const quoted = names.map((name) => `"${name.replaceAll('"', '""')}"`);
    await server.sql(
      `${quoted.map((name) => `create schema ${name}; create table ${name}.${name} as select generate_series(1, 5)`).join(';')};
       select lo_from_bytea(0, 'one'), lo_from_bytea(0, 'two')`,
      'theirs',
    );

    const run = await backUpPostgresql({ ...server.env, ...CLUSTER });

    expect(run.failure, run.said).toBeUndefined();
    expect(run.manifest).toMatchObject({ counts: { tables: 6, rows: 30, largeObjects: 2 } });
  });
});

describe('the restore of PostgreSQL', () => {
  it.each([
    [['--foce'], 'unknown argument --foce'],
    [['--backup'], 'the name of a backup is missing after --backup'],
    [['--take-over', '--force'], 'whose backups are meant, see --list, is missing after --take-over'],
  ])('with %j is refused before anything is looked for', async (args, words) => {
    const { env } = backupFolder();

    const restored = promisify(execFile)(RESTORE, args, { env: { ...process.env, ...env } });

    await expect(restored).rejects.toThrow(`BadSettings: postgresql, step start: ${words}`);
  });
});

describe.runIf(process.getuid?.() === 0)('a hook of PostgreSQL that runs as root', () => {
  it('says what to do', async () => {
    const { env } = backupFolder();
    const settings = { ...env, PGHOST: 'nowhere', PGUSER: 'u', PGDATABASE: 'd' };
    const hook = join(backupSolution, 'hooks', 'postgresql', 'backup.sh');

    const { failure } = await runScript(hook, { contexts: [tickOf(1)], env: settings });

    expect(failure).toContain('as root: run it as another user (setpriv, su), or set BACKUP_VERIFY=read');
  });
});
