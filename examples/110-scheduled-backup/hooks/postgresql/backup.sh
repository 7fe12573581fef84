#!/usr/bin/env bash
# Backs up PostgreSQL: one database with pg_dump, or the whole server with pg_dumpall. libpq's own variables say which.
database=postgresql
dump_name=dump.pgcustom
# shellcheck source=../lib/backup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lib/backup.sh"
# shellcheck source=../lib/postgresql.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lib/postgresql.sh"

database_check() {
  local server client said
  if ! server=$(query 'show server_version_num' 2> "$work/stderr"); then
    said=$(last_words "$work/stderr")
    case $said in
      *authentication* | *'no pg_hba.conf'* | *'role "'*) fail WrongCredentials "PostgreSQL refuses the user $PGUSER: correct PGUSER and PGPASSWORD in the Secret: $said" ;;
      *'does not exist'*) fail DatabaseMissing "there is no database $PGDATABASE: correct PGDATABASE: $said" ;;
      *) fail DatabaseUnreachable "PostgreSQL at $PGHOST does not answer: look at its Pods, PGHOST and PGPORT: $said" ;;
    esac
  fi
  server_version=$((server / 10000)).$((server % 10000))
  ((server = server / 10000, client = $(major pg_dump), client >= server)) ||
    fail ClientTooOld "pg_dump $client cannot dump PostgreSQL $server: build the image with postgresql-$server"
  if [[ $POSTGRESQL_SCOPE == cluster ]]; then
    size_bytes=$(query 'select sum(pg_database_size(oid)) from pg_database')
  else
    size_bytes=$(query 'select pg_database_size(current_database())')
  fi
  look_for_standby
}

# The rows of unlogged tables are on the primary only: of a standby the dump has these tables without them.
look_for_standby() {
  local name count tables=0
  dump_flags=()
  [[ $(query 'select pg_is_in_recovery()') == t ]] || return 0
  dump_flags=(--no-unlogged-table-data) dumped_tables="'p'"
  dumped_databases > "$work/databases"
  while IFS= read -r name; do
    count=$(PGDATABASE=$name query "select count(*) from pg_class where relkind = 'r' and relpersistence = 'u'")
    tables=$((tables + count))
  done < "$work/databases"
  ((tables > 0)) || return 0
  left_out="{\"rowsOfUnloggedTables\": $tables}"
  echo "PostgreSQL at $PGHOST is a standby, where unlogged tables have no rows: $tables of them are backed up empty"
}

database_version() {
  pg_dump --version
}

database_dump() { # FILE
  local code
  if [[ $POSTGRESQL_SCOPE == cluster ]]; then
    structure > "$work/before"
    pg_dumpall "${dump_flags[@]}" 2> "$work/stderr" | gzip > "$1" || fail DumpFailed "pg_dumpall failed: $(how_it_ended $?)"
    structure > "$work/after"
    return
  fi
  # The rows are counted in the very snapshot that is dumped, so that the copy can be compared exactly. As for pg_dump, no
  # time limit of the server counts.
  FILE=$1 psql -XAtq -v ON_ERROR_STOP=1 > "$work/rows" 2> "$work/stderr" <<SQL || fail DumpFailed "psql failed: $(how_it_ended $?)"
set statement_timeout = 0;
set lock_timeout = 0;
set idle_in_transaction_session_timeout = 0;
begin isolation level repeatable read read only;
select pg_export_snapshot() as snapshot \gset
\setenv SNAPSHOT :snapshot
$(row_counts) \gexec
\! pg_dump --format=custom ${dump_flags[*]} --snapshot="\$SNAPSHOT" --file="\$FILE"; echo \$? > "\$FILE.code"
commit;
SQL
  code=$(< "$1.code")
  rm "$1.code"
  ((code == 0)) || fail DumpFailed "pg_dump failed: $(how_it_ended "$code")"
}

database_verify() { # FILE
  local encoding
  if [[ $BACKUP_VERIFY == read ]]; then
    if [[ $POSTGRESQL_SCOPE == cluster ]]; then
      [[ $(gzip -dc "$1" | tail -n 3) == *'dump complete'* ]] || fail VerifyFailed "the dump has no end: look at the log of PostgreSQL"
    else
      try VerifyFailed "the dump cannot be read" pg_restore --file=/dev/null "$1"
    fi
    verified='read'
    return
  fi
  start_scratch
  if [[ $POSTGRESQL_SCOPE == cluster ]]; then
    gzip -dc "$1" | scratch psql -Xq -v ON_ERROR_STOP=1 -d postgres > /dev/null 2> "$work/stderr" ||
      fail VerifyFailed "the dump cannot be restored: $(last_words "$work/stderr")"
    scratch structure > "$work/restored"
    cmp -s "$work/restored" "$work/before" || cmp -s "$work/restored" "$work/after" ||
      fail VerifyFailed "the restored server has other roles, databases or tables: $(first_difference "$work/after" "$work/restored")"
    counts=$(awk -F '|' '
      NR == 1 {roles = $NF; next}
      {tables += $NF}
      END {printf "{\"roles\": %d, \"databases\": %d, \"tables\": %d}", roles, NR - 1, tables}' "$work/restored")
  else
    encoding=$(query 'show server_encoding')
    scratch createdb --template=template0 --encoding="$encoding" restored
    try VerifyFailed "the dump cannot be restored; is an extension missing in the image? Then install it, or set BACKUP_VERIFY=read" \
      scratch pg_restore --exit-on-error --no-owner --no-privileges --no-tablespaces --no-publications --no-subscriptions -d restored "$1"
    scratch psql -XAtq -v ON_ERROR_STOP=1 -d restored > "$work/restored" <<< "$(row_counts) \gexec"
    cmp -s "$work/rows" "$work/restored" ||
      fail VerifyFailed "the restored database has other rows: $(first_difference "$work/rows" "$work/restored")"
    counts=$(awk -F '|' '
      NR == 1 {objects = $NF; next}
      {rows += $NF}
      END {printf "{\"tables\": %d, \"rows\": %d, \"largeObjects\": %d}", NR - 1, rows, objects}' "$work/rows")
  fi
  stop_scratch
  verified=yes
}

# The number of roles, and each database with its number of tables.
structure() {
  local name tables
  query "select 'roles', count(*) from pg_roles where rolname !~ '^pg_' and rolname <> 'hooklet_verify'"
  dumped_databases > "$work/databases"
  while IFS= read -r name; do
    tables=$(PGDATABASE=$name query "select count(*) from pg_class where relkind = 'r' and relpersistence <> 't' and relnamespace::regnamespace::text !~ '^(pg_.*|information_schema)\$'")
    echo "$name|$tables"
  done < "$work/databases"
}

dumped_databases() {
  if [[ $POSTGRESQL_SCOPE == cluster ]]; then
    query "select datname from pg_database where datallowconn and not datistemplate order by datname collate \"C\""
  else
    printf '%s\n' "$PGDATABASE"
  fi
}

first_difference() {
  diff "$1" "$2" | grep -m 1 '^[<>]' || true
}

backup_hook "$@"
