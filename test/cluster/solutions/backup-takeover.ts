import { chmodSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from '../../support/hook-rig.ts';
import { sqlWith, type PostgresqlServer } from './backup-postgresql.ts';

/** A database whose owner, who is not a superuser, tries to do more than the server allows. */
export interface HostileDatabase {
  readonly name: string;
  /** The scratch folder in which the owner expects backups to be verified. */
  readonly scratch: string;
  /** The files left by a successful attack, which has run programs or written files as another user. */
  readonly marks: () => readonly string[];
}

const PASSWORD = 'mallory-secret';

/** All ways in which code of the owner is called during a restore; at first they are harmless. */
const PLACES = `
create function evil.attack(place text) returns boolean immutable language plpgsql as 'begin return true; end';
create domain evil.checked as int check (evil.attack('domain'));
create table evil.plain (n int check (evil.attack('check')), d evil.checked, g boolean generated always as (evil.attack('generated')) stored);
create table evil.parted (place text) partition by list ((evil.attack(place)));
create table evil.part partition of evil.parted for values in (true);
insert into evil.plain (n, d) values (1, 1);
insert into evil.parted values ('partition');
create index on evil.plain (evil.attack('index'));
create statistics evil.stats on n, (evil.attack('statistics')) from evil.plain;
create view evil.seen as select evil.attack('view') as v;
create materialized view evil.kept as select *, evil.attack('matview') from evil.seen;
create table evil.guarded as select 1 as n;
alter table evil.guarded enable row level security;
create policy p on evil.guarded using (evil.attack('policy'));
create table evil.triggered as select 1 as n;
create function evil.on_change() returns trigger language plpgsql as 'begin perform evil.attack(''trigger''); return new; end';
create trigger t before insert on evil.triggered for each row execute function evil.on_change();
alter table evil.triggered enable always trigger t;`;

/** Objects with the names that the backup itself uses, on the server that is backed up. */
const SHADOWS = `
create function evil.format(text, text, name, name) returns text language plpgsql as
  'begin perform evil.attack(''format''); return ''select 1, 1''; end';
create function public.format(text, text, name, name) returns text language plpgsql as
  'begin perform evil.attack(''public format''); return ''select 1, 1''; end';
create function evil.matches(name, text) returns boolean language plpgsql as
  'begin perform evil.attack(''operator''); return false; end';
create operator evil.!~ (leftarg = name, rightarg = text, function = evil.matches);
create operator evil.= (leftarg = name, rightarg = text, function = evil.matches);
create function evil.pg_database_size(name) returns bigint language plpgsql as
  'begin perform evil.attack(''size''); return 1; end';
alter database theirs set search_path = evil, public, pg_catalog;`;

/** Each attack; a successful one leaves a mark. */
const attack = (marks: string, scratch: string): string => `
create function evil.ways(place text) returns void language plpgsql as $attack$
declare
  way text;
  ways text[] := array[
    $$copy (select 1) to program 'cat /proc/*/environ > "${marks}/%PLACE% program"; env >> "${marks}/%PLACE% program"'$$,
    $$copy (select 1) to '${marks}/%PLACE% file'$$,
    $$select pg_catalog.lo_export(4711, '${marks}/%PLACE% lo_export')$$,
    $w$do $do$ begin
      perform pg_catalog.pg_read_file('/proc/self/environ');
      raise exception 'TAKEN OVER at %PLACE%: a file was read' using errcode = 'ZZ999';
    end $do$ $w$,
    $$alter role current_user superuser$$,
    $$grant pg_execute_server_program to current_user$$,
    $$create extension if not exists file_fdw schema evil$$
  ];
  boss text;
begin
  for boss in select rolname from pg_catalog.pg_roles where rolsuper and rolname <> current_user loop
    ways := ways || format($$set role %I$$, boss) || format($$set session authorization %I$$, boss)
      || format($$grant %I to current_user$$, boss)
      || format($$select * from public.dblink('host=${scratch}/db/server dbname=postgres user=%s',
           'copy (select 1) to ''${marks}/%%PLACE%% dblink''') as t (a text)$$, boss);
  end loop;
  foreach way in array ways || ways loop
    begin
      execute replace(way, '%PLACE%', place);
    exception
      when sqlstate 'ZZ999' then raise;
      when others then null;
    end;
  end loop;
end $attack$;
create or replace function evil.attack(place text) returns boolean immutable language plpgsql as
  'begin perform evil.ways(place); return true; end';`;

/** Makes the database on a server, with the most rights that a superuser may have granted to its owner. */
export async function makeHostile(server: PostgresqlServer, grants = ''): Promise<HostileDatabase> {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  chmodSync(folder.path, 0o755);
  const left = join(folder.path, 'marks');
  mkdirSync(left);
  chmodSync(left, 0o777);
  const scratch = join(folder.path, 's');
  await server.sql(`create role mallory login password '${PASSWORD}'`);
  await server.sql('create database theirs owner mallory');
  await server.sql(`create extension dblink; ${grants}`, 'theirs');
  const asMallory = sqlWith({ ...server.env, PGUSER: 'mallory', PGPASSWORD: PASSWORD });
  await asMallory(`create schema evil; select lo_from_bytea(4711, 'x'); ${PLACES}`, 'theirs');
  const line = `x\n\\! touch '${join(left, 'newline')}'\n`;
  await asMallory(`create schema "${line}"; create table "${line}"."${line}" as select 1 as n`, 'theirs');
  await asMallory(`${SHADOWS}${attack(left, scratch)}`, 'theirs');
  // What the owner can do on the server itself has been done there.
  for (const name of readdirSync(left)) rmSync(join(left, name));
  return { name: 'theirs', scratch, marks: () => readdirSync(left).toSorted() };
}
