import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../support/hook-rig.ts';
import { sharedControlPlane } from '../shared-control-plane.ts';
import { backupOperator, type BackupOperator } from './backup-operator.ts';
import { sqlWith, startPostgresql, startStandby, type PostgresqlServer } from './backup-postgresql.ts';
import { startBackupServers, type BackupServers } from './backup-servers.ts';
import type { BackupSource } from './backup-source.ts';
import { buildProgram, type BuiltProgram } from './built-program.ts';
import { eventually } from './eventually.ts';

const plane = sharedControlPlane();
const LIMIT_MS = 900_000;

const running = new AsyncDisposableStack();
let servers: BackupServers;
let program: BuiltProgram;
let server: PostgresqlServer;

beforeAll(async () => {
  servers = running.use(await startBackupServers());
  program = running.use(await buildProgram());
  server = running.use(await startPostgresql());
}, LIMIT_MS);

afterAll(async () => {
  await running.disposeAsync();
}, LIMIT_MS);

/** An operator that has made a backup of the server, and its output. */
async function backedUp(env: Readonly<Record<string, string>>): Promise<BackupOperator & { readonly said: string }> {
  const source: BackupSource = {
    database: 'postgresql',
    env: { ...server.env, ...env },
    dumper: { program: 'pg_dump', file: '$work/parts/1.pgcustom' },
    content: async () => '',
    restored: async () => '',
  };
  const backup = await backupOperator({ plane, servers, source, program, target: 'volume' });
  const operator = await backup.start();
  await operator.trigger();
  await operator.isDone();
  return { ...backup, said: operator.stdout() };
}

/** Changes the manifest of the newest backup to another version of the server. */
function takenFrom(version: string, backup: BackupOperator): void {
  const path = join(backup.published().at(-1)?.folder ?? '', 'manifest.json');
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), server: version }));
}

const WHOLE_SERVER = `
create role writers;
create role "Anna ""B"" o'C" login password 'hers' valid until '2100-01-01' connection limit 3 in role writers;
alter role writers set statement_timeout = '7s';
create role postgres_reader login password null;
grant pg_read_all_data to postgres_reader;
grant set on parameter log_statement to writers with grant option;
create database "shop | 'one'" owner "Anna ""B"" o'C";
alter database "shop | 'one'" set work_mem = '5MB';
grant connect on database "shop | 'one'" to writers;
comment on database "shop | 'one'" is 'a shop';
create database latin encoding latin1 lc_collate 'C' lc_ctype 'C' template template0;
create table public.in_postgres as select 1 as one;`;
const SHOP = `
create schema sales authorization writers;
create table sales.orders (n bigserial primary key, text text not null, at timestamptz default now());
insert into sales.orders (text) select md5(i::text) from generate_series(1, 500) i;
insert into sales.orders (text) values (E'CREATE ROLE postgres;'), (E'\\\\connect nowhere'), (E'a\\nALTER ROLE postgres WITH \\tb');
select setval('sales.orders_n_seq', 9000);
create unlogged table sales.carts as select 1 as n;
create view sales.newest as select * from sales.orders order by n desc limit 1;
create function sales.twice(int) returns int language sql as 'select 2 * $1';
grant select on sales.orders to postgres_reader;
alter table sales.orders owner to writers;
select lo_from_bytea(4711, 'a large object');
alter large object 4711 owner to "Anna ""B"" o'C";`;
const CONTENT = [
  `select rolname, rolsuper, rolcreatedb, rolcanlogin, rolconnlimit, rolvaliduntil, rolpassword from pg_authid
   where rolname !~ '^pg_' order by 1`,
  `select nullif(setrole, 0)::regrole, setconfig, datname
   from pg_db_role_setting left join pg_database d on d.oid = setdatabase order by setconfig::text`,
  `select roleid::regrole, member::regrole, admin_option from pg_auth_members
   order by roleid::regrole::text, member::regrole::text`,
  `select datname, pg_get_userbyid(datdba), pg_encoding_to_char(encoding), datcollate, datacl,
   shobj_description(oid, 'pg_database') from pg_database where not datistemplate order by 1`,
  `select parname, a.grantee::regrole, a.privilege_type, a.is_grantable
   from pg_parameter_acl, aclexplode(paracl) a order by 1, a.grantee::regrole::text, 3`,
  'select * from in_postgres',
];
const SHOP_CONTENT = [
  'select count(*), md5(string_agg(orders::text, chr(10) order by n)) from sales.orders',
  'select last_value, is_called from sales.orders_n_seq',
  'select n from sales.carts',
  'select text, sales.twice(4) from sales.newest',
  `select loid, encode(data, 'escape') from pg_largeobject`,
  `select oid, pg_get_userbyid(lomowner) from pg_largeobject_metadata`,
  `select relname, relacl, pg_get_userbyid(relowner) from pg_class where relnamespace = 'sales'::regnamespace order by 1`,
];

// Behaves like pg_restore since version 17 with an older server.
const PG_RESTORE_99 = `#!/bin/bash
case "$*" in
  --version) echo 'pg_restore (PostgreSQL) 99.1' ;;
  *' -d '*) echo 'unrecognized configuration parameter "transaction_timeout"' >&2; exit 1 ;;
  *) PATH=\${PATH#*:}; pg_restore "$@" | sed '0,/^SET lock_timeout/s//SET transaction_timeout = 0;\\n&/' ;;
esac
`;

// Fails after it has restored everything.
const FAILING_PG_RESTORE = `#!/bin/bash
PATH=\${PATH#*:}
pg_restore "$@"
case "$*" in *' -d '*) echo broken >&2; exit 1 ;; esac
`;

async function contentOf(sql: PostgresqlServer['sql']): Promise<readonly string[]> {
  const found: string[] = [];
  for (const query of CONTENT) found.push(await sql(query));
  for (const query of SHOP_CONTENT) found.push(await sql(query, `shop | 'one'`));
  return found;
}

describe('a backup of a whole PostgreSQL', { timeout: LIMIT_MS }, () => {
  it('comes back on a new server, with roles, passwords, rights, settings, rows, sequences and large objects', async () => {
    await server.sql(WHOLE_SERVER);
    await server.sql(SHOP, `shop | 'one'`);
    const before = await contentOf(sqlWith(server.env));
    const backup = await backedUp({ POSTGRESQL_SCOPE: 'cluster' });
    expect(backup.published()).toMatchObject([
      { file: 'dump.tar', verified: 'yes', counts: { roles: 4, databases: 3, tables: 3 } },
    ]);
    await expect(backup.restore('--force')).rejects.toThrow(/Refused: .* a whole server is restored to a new one only/);
    // As in another installation: only the new server's own password is known.
    await using fresh = await startPostgresql('second-secret');

    expect(await backup.restoreTo(fresh.env)).toContain('roles have the passwords they had then');

    const asThen = { ...server.env, PGPORT: fresh.env['PGPORT'] ?? '' };
    expect(await contentOf(sqlWith(asThen))).toEqual(before);
    expect(backup.leftovers()).toEqual([]);
  });
});

describe('a restored database', { timeout: LIMIT_MS }, () => {
  it.each([
    ['takes the place of one that is called postgres', 'postgres', 'UTF8'],
    ['has the encoding it had', 'latin', 'LATIN1'],
    ['may have a name as long as names can be', 'n'.repeat(63), 'UTF8'],
  ])('%s', async (_, name, encoding) => {
    if (name.length === 63) await server.sql(`create database ${name}`);
    await server.sql('drop table if exists kept; create table kept as select 7 as n', name);
    const backup = await backedUp({ PGDATABASE: name });
    await server.sql('update kept set n = 8', name);

    const said = await backup.restore('--force');

    expect(await server.sql('select n, getdatabaseencoding() from kept', name)).toBe(`7|${encoding}`);
    const [, before = ''] = /is kept as database (\S+):/.exec(said) ?? [];
    expect(await server.sql('select n from kept', before)).toBe('8');
  });

  it('comes back to a server that is older than the tools', async () => {
    await server.sql('create database older');
    await server.sql(`create table kept as select 'SET transaction_timeout = 0;' as line`, 'older');
    const backup = await backedUp({ PGDATABASE: 'older' });
    const folder = temporaryFolder();
    onTestFinished(() => folder[Symbol.dispose]());
    writeFileSync(join(folder.path, 'pg_restore'), PG_RESTORE_99, { mode: 0o755 });
    await server.sql('drop table kept', 'older');

    await backup.restoreTo({ PATH: `${folder.path}:${process.env['PATH'] ?? ''}` });

    expect(await server.sql('select line from kept', 'older')).toBe('SET transaction_timeout = 0;');
  });

  it('comes to a server that is older than its own only when it is told to', async () => {
    await server.sql('create database newer');
    await server.sql('create table kept as select 7 as n', 'newer');
    const backup = await backedUp({ PGDATABASE: 'newer' });
    const version = await server.sql('show server_version_num');
    expect(await backup.restore('--list')).toContain(`from version ${Math.trunc(Number(version) / 10_000)}.`);
    takenFrom('99.1', backup);
    await server.sql('drop table kept', 'newer');

    const refusal = /Refused: .* is of PostgreSQL 99, and 127\.0\.0\.1 is PostgreSQL \d\d: .* with --force/;
    await expect(backup.restore()).rejects.toThrow(refusal);

    expect(await server.sql(`select count(*) from pg_database where datname ~ '^restored_'`)).toBe('0');
    await backup.restore('--force');
    expect(await server.sql('select n from kept', 'newer')).toBe('7');
  });

  it('of a whole server comes to an older one only when it is told to', async () => {
    await using fresh = await startPostgresql();
    const backup = await backedUp({ ...fresh.env, POSTGRESQL_SCOPE: 'cluster' });
    takenFrom('99.1', backup);

    await expect(backup.restore()).rejects.toThrow(/Refused: .* is of PostgreSQL 99/);

    expect(await backup.restore('--force')).toContain('restored backup');
  });

  it('leaves nothing of itself, and the present one as it is, when it does not come back whole', async () => {
    await server.sql('create role gone');
    await server.sql('create database half');
    await server.sql('create table kept as select 7 as n; alter table kept owner to gone', 'half');
    const backup = await backedUp({ PGDATABASE: 'half' });
    await server.sql('alter table kept owner to postgres; drop role gone', 'half');
    const folder = temporaryFolder();
    onTestFinished(() => folder[Symbol.dispose]());
    writeFileSync(join(folder.path, 'pg_restore'), FAILING_PG_RESTORE, { mode: 0o755 });
    const PATH = `${folder.path}:${process.env['PATH'] ?? ''}`;

    await expect(backup.restoreTo({ PATH }, '--force')).rejects.toThrow(/RestoreFailed: .*nothing was changed: broken/);

    expect(await server.sql('select n from kept', 'half')).toBe('7');
    expect(await server.sql(`select count(*) from pg_database where datname ~ '^restored_'`)).toBe('0');
    expect(await server.sql(`select count(*) from pg_roles where rolname = 'gone'`)).toBe('0');
  });
});

describe('a new server', { timeout: LIMIT_MS }, () => {
  it('gets the backup of another, and the folder of that, only when somebody says so', async () => {
    await server.sql('create database moved');
    await server.sql('create table kept as select 7 as n', 'moved');
    const backup = await backedUp({ PGDATABASE: 'moved' });
    await using fresh = await startPostgresql();
    const system = 'select system_identifier from pg_control_system()';
    const [old, own] = [`postgresql/${await server.sql(system)}/moved`, `postgresql/${await fresh.sql(system)}/moved`];
    expect(backup.published()).toMatchObject([{ identity: old }]);

    await expect(backup.restoreTo(fresh.env, '--take-over', own.replace(/\d/, 'x'))).rejects.toThrow(
      new RegExp(`Refused: .* is of ${old} .*, and this is ${own}: if it is what you want, add --take-over ${old}`),
    );
    await backup.restoreTo(fresh.env, '--take-over', old);
    expect(await fresh.sql('select n from kept', 'moved')).toBe('7');

    const refused = await backup.start(fresh.env);
    await eventually(() => expect(refused.stdout()).toMatch(/FolderTaken: .* set BACKUP_TAKE_OVER=/));
    refused.signal('SIGTERM');
    await refused.ended;
    const operator = await backup.start({ ...fresh.env, BACKUP_TAKE_OVER: old });
    await operator.trigger();
    await operator.isDone();
    expect(backup.published()).toMatchObject([{ identity: old }, { identity: own }]);
  });
});

describe('a backup of a hot standby', { timeout: LIMIT_MS }, () => {
  it('has all but the rows of unlogged tables, and says so', async () => {
    await using primary = await startPostgresql();
    await primary.sql('create database shop');
    await primary.sql(
      `create table kept as select generate_series(1, 9) as n;
       create unlogged table carts (n serial);
       insert into carts select from generate_series(1, 3)`,
      'shop',
    );
    await using standby = await startStandby(primary);
    const leftOut = { rowsOfUnloggedTables: 1 };

    const one = await backedUp({ ...standby.env, PGDATABASE: 'shop' });
    const all = await backedUp({ ...standby.env, POSTGRESQL_SCOPE: 'cluster' });
    const another = await backedUp({ ...standby.env, PGDATABASE: 'postgres' });

    expect(one.published()).toMatchObject([
      { verified: 'yes', counts: { tables: 1, rows: 9, largeObjects: 0 }, leftOut },
    ]);
    expect(all.published()).toMatchObject([{ verified: 'yes', counts: { databases: 2, tables: 1 }, leftOut }]);
    expect(another.published()).toEqual([expect.not.objectContaining({ leftOut: expect.anything() })]);
    expect(another.said).not.toContain('is a standby');
    for (const { said } of [one, all]) expect(said).toContain('is a standby, where unlogged tables have no rows: 1 of');
    expect(await one.restore('--list')).toContain('left out: {"rowsOfUnloggedTables":1}');
    expect(await one.restoreTo(primary.env, '--force')).toContain('left out: {"rowsOfUnloggedTables":1}');
    expect(await primary.sql('select count(*) from kept', 'shop')).toBe('9');
    expect(await primary.sql('insert into carts default values returning n', 'shop')).toBe('1');
  });
});

describe('a backup of a primary', { timeout: LIMIT_MS }, () => {
  it('has the rows of unlogged tables', async () => {
    await server.sql('create database unlogged');
    await server.sql('create unlogged table carts as select generate_series(1, 3) as n', 'unlogged');
    const backup = await backedUp({ PGDATABASE: 'unlogged' });
    expect(backup.published()).toMatchObject([{ counts: { tables: 1, rows: 3 } }]);
    await server.sql('truncate carts', 'unlogged');

    await backup.restore('--force');

    expect(await server.sql('select count(*) from carts', 'unlogged')).toBe('3');
  });
});
