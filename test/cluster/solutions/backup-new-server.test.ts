import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPostgresql, type PostgresqlServer } from './backup-postgresql.ts';
import { backUpPostgresql } from './backup-run.ts';

const LIMIT_MS = 600_000;
const DATABASE = `the "shop" of 'ours'`;
const ROLES = [
  'create role owner login',
  'create role writers noinherit',
  `create role "Anna ""B"" o'C" login password 'hers' createdb in role writers`,
  'grant writers to owner with admin option',
  'grant pg_monitor to writers',
  `alter role owner set work_mem = '6MB'`,
  'create role other_database login',
];
const FILL = `
drop schema public; create schema ext; set search_path = ext;
create extension hstore; create extension dblink; create extension postgres_fdw;
comment on extension hstore is 'ours';
create schema sales authorization writers;
create type sales.state as enum ('open', 'paid');
create domain sales.money_ as numeric check (value >= 0);
create table sales.orders (n bigserial primary key, text text not null, s sales.state default 'open', m sales.money_, h hstore,
  twice bigint generated always as (n * 2) stored);
insert into sales.orders (text, m, h) select md5(i::text), i, hstore('k', i::text) from generate_series(1, 3000) i;
insert into sales.orders (text) values (E'a\\nb\\t\\\\.'), ('');
create table sales.parted (at date, n int) partition by range (at);
create table sales.parted_24 partition of sales.parted for values from ('2024-01-01') to ('2025-01-01');
insert into sales.parted select '2024-02-03', i from generate_series(1, 100) i;
create table sales.empty ();
insert into sales.empty default values;
create unlogged table sales.carts as select 1 as n;
create function sales.seen() returns setof sales.orders language sql stable as 'select * from sales.orders';
create function sales.leak(int) returns int language sql leakproof as 'select $1';
create procedure sales.nothing() language sql as '';
create view sales.newest as select * from sales.orders order by n desc limit 1;
create materialized view sales.count as select count(*) from sales.orders;
create function sales.internal() returns timestamptz language internal stable as 'now';
create cast (ext.hstore as bytea) without function;
create server there foreign data wrapper postgres_fdw options (host 'nowhere');
create user mapping for owner server there options (user 'u', password 'p');
create foreign table sales.far (n int) server there;
create event trigger on_change on ddl_command_end execute function sales.changed();
create publication all_of_it for all tables;
alter table sales.orders enable row level security;
alter table sales.orders force row level security;
create policy p on sales.orders to owner using (s = 'open');
select lo_from_bytea(4711, 'a large object');
alter large object 4711 owner to "Anna ""B"" o'C";
grant select on large object 4711 to writers;
alter table sales.orders owner to owner; alter view sales.newest owner to "Anna ""B"" o'C";
alter materialized view sales.count owner to owner;
alter function sales.seen owner to owner; alter type sales.state owner to "Anna ""B"" o'C";
alter table sales.parted owner to writers; alter server there owner to owner;
grant usage on foreign data wrapper postgres_fdw to writers;
grant select, update (text) on sales.orders to "Anna ""B"" o'C" with grant option;
set role "Anna ""B"" o'C"; grant select on sales.orders to public; reset role;
revoke execute on function sales.seen from public; grant usage on schema sales to owner;
alter default privileges for role owner in schema sales grant insert on tables to writers;
alter default privileges for role writers revoke execute on functions from public;`;
const OF_THE_DATABASE = (name: string): string => `
grant connect, temporary on database ${name} to writers with grant option;
revoke all on database ${name} from public;
alter database ${name} set search_path = sales, "$user";
alter database ${name} set statement_timeout = '8s';
alter role owner in database ${name} set work_mem = '7MB';
alter database ${name} connection limit 50;
comment on database ${name} is 'a shop';`;
const MEMBERS = `select string_agg(format('%s %s %s', r.rolname, m.rolname, a.admin_option), ',' order by r.rolname, m.rolname)
  from pg_auth_members a join pg_roles r on r.oid = a.roleid join pg_roles m on m.oid = a.member where m.rolname !~ '^pg_'`;

const running = new AsyncDisposableStack();
let server: PostgresqlServer;
const quoted = `"${DATABASE.replaceAll('"', '""')}"`;

beforeAll(async () => {
  server = running.use(await startPostgresql());
  for (const role of ROLES) await server.sql(role);
  await server.sql(`create database ${quoted} owner owner`);
  const changed = `create schema s; create function s.changed() returns event_trigger language plpgsql as 'begin end'`;
  await server.sql(`${changed}; ${FILL.replace('sales.changed', 's.changed')}`, DATABASE);
  await server.sql(OF_THE_DATABASE(quoted));
}, LIMIT_MS);

afterAll(async () => {
  await running.disposeAsync();
}, LIMIT_MS);

/** Everything that `pg_dump` knows about a database: its rows, owners, rights and settings. */
async function whole({ env }: PostgresqlServer): Promise<string> {
  const variables = { ...process.env, ...env, PGDATABASE: DATABASE };
  const options = { env: variables, maxBuffer: 64 * 1024 * 1024 };
  return (await promisify(execFile)('pg_dump', ['--create', '--restrict-key=same'], options)).stdout;
}

describe('a verified backup of a database', { timeout: LIMIT_MS }, () => {
  it('comes back on a new server, to the byte of what pg_dump says, with the roles it needs and no others', async () => {
    const run = await backUpPostgresql({ ...server.env, PGDATABASE: DATABASE });
    expect(run.failure).toBeUndefined();
    expect(run.manifest).toMatchObject({
      verified: 'yes',
      counts: { tables: 4, rows: 3104, largeObjects: 1, unverified: { eventTriggers: 1, publications: 1 } },
    });
    await using fresh = await startPostgresql();

    const said = await run.restoreTo({ PGPORT: fresh.env['PGPORT'] ?? '' });

    expect(await whole(fresh)).toBe(await whole(server));
    expect(await fresh.sql(MEMBERS)).toBe(await server.sql(MEMBERS));
    expect(said).toContain(
      `made the roles that were missing, without a password or rights on the whole server: Anna "B" o'C (it had login, createdb), owner (it had login), writers (as it was); give`,
    );
    expect(
      await fresh.sql(`select string_agg(rolname, ',' order by rolname) from pg_roles where rolname !~ '^pg_'`),
    ).toBe(`Anna "B" o'C,owner,postgres,writers`);
    expect(await fresh.sql('select count(*) from pg_authid where rolcanlogin or rolpassword is not null')).toBe('1');
  });

  it('has the passwords of its roles when that is wanted', async () => {
    const wanted = { ...server.env, PGDATABASE: DATABASE, POSTGRESQL_PASSWORDS: 'yes' };
    const run = await backUpPostgresql(wanted);
    await using fresh = await startPostgresql();

    await run.restoreTo({ PGPORT: fresh.env['PGPORT'] ?? '' });

    const password = `select rolpassword, rolcanlogin from pg_authid where rolname like 'Anna%'`;
    expect(await fresh.sql(password)).toBe(await server.sql(password));
  });

  it('leaves the roles as they are that are there, and the present owner of what is beside it', async () => {
    const run = await backUpPostgresql({ ...server.env, PGDATABASE: DATABASE });
    const roles = 'select string_agg(a::text, chr(10) order by rolname) from pg_authid a';
    const before = await server.sql(roles);

    await run.restoreTo({}, '--force');

    expect(await server.sql(roles)).toBe(before);
  });

  it.each([
    ['owners', '--no-owner', /VerifyFailed: .* the restored database has other owners or rights: < /],
    ['rights', '--no-privileges', /VerifyFailed: .* the restored database has other owners or rights: < /],
  ])('is none when it comes back without its %s', async (_, flag, failure) => {
    const pgRestore = `#!/bin/bash\nPATH=\${PATH#*"\${0%/*}":}\nexec pg_restore ${flag} "$@"\n`;

    const run = await backUpPostgresql({ ...server.env, PGDATABASE: DATABASE }, { pg_restore: pgRestore });

    expect(run.failure, run.said).toMatch(failure);
    expect(run.manifest).toBeUndefined();
  });
});
