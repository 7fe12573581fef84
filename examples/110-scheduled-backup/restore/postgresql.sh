#!/usr/bin/env bash
# Brings a backup of PostgreSQL back: beside the present database first, and then in its place.
database=postgresql
dump_name=dump.pgcustom
# shellcheck source=../hooks/lib/restore.sh
source "$(dirname "${BASH_SOURCE[0]}")/../hooks/lib/restore.sh"
# shellcheck source=../hooks/lib/postgresql.sh
source "$(dirname "${BASH_SOURCE[0]}")/../hooks/lib/postgresql.sh"

usage() {
  cat <<'TEXT'
postgresql.sh [--list] [--backup NAME] [--force]
  --list     print the backups there are
  --backup   the one to restore; without it the newest
  --force    restore although the database has tables: it is kept as <database>_before_<time>
The user needs the right to create databases; PGUSER and PGPASSWORD say which.
TEXT
}

main() {
  restore_begin "$@"
  ((${#rest[@]} == 0)) || fail BadSettings "unknown argument ${rest[0]}: see --help"
  if [[ $dump_name == dump.sql.gz ]]; then
    restore_cluster
  else
    restore_database
  fi
}

restore_database() {
  local exists tables=0 owner restored=${PGDATABASE}_restored_$stamp before=${PGDATABASE}_before_$stamp
  step look
  exists=$(maintain "select 1 from pg_database where datname = '$PGDATABASE'")
  [[ -z $exists ]] || tables=$(query "$user_tables")
  [[ $tables == 0 || $force == yes ]] ||
    refuse "database $PGDATABASE at $PGHOST has $tables tables: with --force the backup takes its place, and it is kept as $before"
  step restore
  owner=$(maintain "select coalesce((select pg_get_userbyid(datdba) from pg_database where datname = '$PGDATABASE'), current_user)")
  PGDATABASE=postgres createdb --template=template0 --owner="$owner" "$restored"
  pg_restore --exit-on-error -d "$restored" "$dump" 2> "$work/stderr" || {
    PGDATABASE=postgres dropdb "$restored"
    fail RestoreFailed "nothing was changed: $(last_words "$work/stderr")"
  }
  step swap
  # Both names change at once, or none does.
  PGDATABASE=postgres psql -XAtq -v ON_ERROR_STOP=1 -v name="$PGDATABASE" -v restored="$restored" -v before="$before" <<'SQL'
select pg_terminate_backend(pid) from pg_stat_activity where datname = :'name' and pid <> pg_backend_pid() \g /dev/null
begin;
select format('alter database %I rename to %I', :'name', :'before') where exists (select from pg_database where datname = :'name') \gexec
alter database :"restored" rename to :"name";
commit;
SQL
  if [[ -n $exists && $tables == 0 ]]; then
    PGDATABASE=postgres dropdb "$before"
  elif [[ -n $exists ]]; then
    echo "what was there is kept as database $before: drop it when it is not needed"
  fi
  echo "restored backup $backup to database $PGDATABASE at $PGHOST"
}

# Every role and database of a server: only a new server takes them.
restore_cluster() {
  local databases
  step look
  databases=$(maintain "select string_agg(datname, ' ') from pg_database where not datistemplate and datname <> 'postgres'")
  [[ -z $databases ]] || refuse "the server $PGHOST has the databases $databases: a whole server is restored to a new one only, also with --force"
  step restore
  # Roles that a new server has are in the dump as well.
  maintain "select format('CREATE ROLE %I;', rolname) from pg_roles" > "$work/roles"
  gzip -dc "$dump" |
    awk 'NR == FNR {there[$0]; next} /^\\connect/ {data = 1} !data && ($0 in there) {next} {print}' "$work/roles" - |
    PGDATABASE=postgres psql -Xq -v ON_ERROR_STOP=1 > /dev/null 2> "$work/stderr" ||
    fail RestoreFailed "the server holds a part of the backup now, begin with a new one: $(last_words "$work/stderr")"
  echo "restored backup $backup to the server $PGHOST"
}

maintain() {
  PGDATABASE=postgres query "$1"
}

user_tables="select count(*) from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'v', 'm', 'S', 'f') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'"

main "$@"
