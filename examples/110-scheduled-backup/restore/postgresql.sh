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
  --force    restore although the database has tables: it is kept as <database>_before_<time>; or although the server
             is older than the one that was backed up
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
  local exists tables=0
  restored=restored_$stamp before=${PGDATABASE}_before_$stamp
  # The server would cut it.
  ((${#before} <= 63)) || before=before_$stamp
  step look
  refuse_older_server
  exists=$(maintain <<< "select 1 from pg_database where datname = :'name'")
  [[ -z $exists ]] || tables=$(query "$user_tables")
  [[ $tables == 0 || $force == yes ]] ||
    refuse "database $PGDATABASE at $PGHOST has $tables tables: with --force the backup takes its place, and it is kept as $before"
  step restore
  undo=drop_restored
  try RestoreFailed "nothing was changed" make_restored
  try RestoreFailed "nothing was changed" fill_restored
  step swap
  try RestoreFailed "nothing was changed; is somebody at work in $PGDATABASE who comes back at once? Then stop that first" swap
  undo=
  if [[ -n $exists && $tables == 0 ]]; then
    maintain <<< 'drop database :"before"'
  elif [[ -n $exists ]]; then
    echo "what was there is kept as database $before: drop it when it is not needed"
  fi
  echo "restored backup $backup to database $PGDATABASE at $PGHOST"
}

# Nobody knows what of a newer version an older one takes.
refuse_older_server() {
  local taken now
  taken=$(jq -r '.server // ""' "$manifest")
  [[ $taken =~ ^[0-9]+\. && $force == no ]] || return 0
  now=$(maintain <<< 'show server_version_num')
  ((taken = ${taken%%.*}, now = now / 10000, now >= taken)) ||
    refuse "backup $backup is of PostgreSQL $taken, and $PGHOST is PostgreSQL $now: restore it to a server of version $taken or newer; with --force it is tried all the same"
}

# With encoding and locale as they were, and the owner of the present one.
make_restored() {
  local create
  create=$(pg_restore --create --section=pre-data --file=- "$dump" |
    sed -n '0,/^CREATE DATABASE .* WITH TEMPLATE = /s/^CREATE DATABASE .* WITH TEMPLATE = /create database :"restored" with template = /p') || return
  maintain <<SQL
$create
select format('alter database %I owner to %I', :'restored', pg_get_userbyid(datdba)) from pg_database where datname = :'name' \\gexec
SQL
}

fill_restored() {
  local server
  server=$(maintain <<< 'show server_version_num')
  if ((server / 10000 >= $(major pg_restore))); then
    pg_restore --exit-on-error -d "$restored" "$dump"
  else
    pg_restore --file=- "$dump" | for_older_server | PGDATABASE=$restored psql -Xq -v ON_ERROR_STOP=1 > /dev/null
  fi
}

# Servers before 17 do not know a setting with which the tools since 17 begin each database.
for_older_server() {
  awk 'NR == 1 || /^\\connect / {head = 1} head && /^SET transaction_timeout = 0;$/ {head = 0; next} {print}'
}

drop_restored() {
  maintain <<< 'drop database if exists :"restored"' 2> /dev/null
}

# Both names change at once, or none does.
swap() {
  maintain <<'SQL'
select pg_terminate_backend(pid) from pg_stat_activity where datname = :'name' and pid <> pg_backend_pid() \g /dev/null
begin;
select format('alter database %I rename to %I', :'name', :'before') where exists (select from pg_database where datname = :'name') \gexec
alter database :"restored" rename to :"name";
commit;
SQL
}

# Every role and database of a server: only a new server takes them.
restore_cluster() {
  local databases own adapt=cat
  step look
  refuse_older_server
  databases=$(maintain <<< "select string_agg(datname, ' ') from pg_database where not datistemplate and datname <> 'postgres'")
  [[ -z $databases ]] || refuse "the server $PGHOST has the databases $databases: a whole server is restored to a new one only, also with --force"
  step restore
  # Roles that a new server has are in the dump as well.
  maintain <<< "select format('CREATE ROLE %I;', rolname) from pg_roles" > "$work/roles"
  # The password of the own one changes last: until then, the one that is known is needed for each database.
  own=$(maintain <<< "select format('ALTER ROLE %I WITH ', current_user)")
  (($(maintain <<< 'show server_version_num') >= 170000)) || adapt=for_older_server
  gzip -dc "$dump" | "$adapt" |
    own=$own awk '
      NR == FNR {there[$0]; next}
      /^\\connect / {data = 1}
      !data && ($0 in there) {next}
      !data && index($0, ENVIRON["own"]) == 1 {last = last $0 "\n"; next}
      {print}
      END {printf "%s", last}' "$work/roles" - |
    PGDATABASE=postgres psql -Xq -v ON_ERROR_STOP=1 > /dev/null 2> "$work/stderr" ||
    fail RestoreFailed "the server holds a part of the backup now, begin with a new one: $(last_words "$work/stderr")"
  echo "restored backup $backup to the server $PGHOST; roles have the passwords they had then"
}

# Runs what comes on standard input beside the database, whose name is :'name' there.
maintain() {
  local name=$PGDATABASE maintenance=postgres
  [[ $name != postgres ]] || maintenance=template1
  PGDATABASE=$maintenance psql -XAtq -v ON_ERROR_STOP=1 -v name="$name" -v restored="${restored:-}" -v before="${before:-}"
}

user_tables="select count(*) from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'v', 'm', 'S', 'f') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'"

main "$@"
