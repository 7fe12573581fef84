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
  client=$(pg_dump --version | sed -E 's/[^0-9]*([0-9]+).*/\1/')
  ((client >= server / 10000)) ||
    fail ClientTooOld "pg_dump $client cannot dump PostgreSQL $((server / 10000)): build the image with postgresql-$((server / 10000))"
  if [[ $POSTGRESQL_SCOPE == cluster ]]; then
    size_bytes=$(query 'select sum(pg_database_size(oid)) from pg_database')
  else
    size_bytes=$(query 'select pg_database_size(current_database())')
  fi
}

database_version() {
  pg_dump --version
}

database_dump() { # FILE
  if [[ $POSTGRESQL_SCOPE == cluster ]]; then
    structure > "$work/before"
    pg_dumpall 2> "$work/stderr" | gzip > "$1" || fail DumpFailed "pg_dumpall failed: $(last_words "$work/stderr")"
    structure > "$work/after"
    return
  fi
  # The rows are counted in the very snapshot that is dumped, so that the copy can be compared exactly.
  FILE=$1 psql -XAtq -v ON_ERROR_STOP=1 > "$work/rows" 2> "$work/stderr" <<SQL || fail DumpFailed "psql failed: $(last_words "$work/stderr")"
begin isolation level repeatable read read only;
select pg_export_snapshot() as snapshot \gset
\setenv SNAPSHOT :snapshot
\! pg_dump --format=custom --snapshot="\$SNAPSHOT" --file="\$FILE" && touch "\$FILE.done"
$row_counts \gexec
commit;
SQL
  rm "$1.done" 2> /dev/null || fail DumpFailed "pg_dump did not end well: $(last_words "$work/stderr")"
}

database_verify() { # FILE
  if [[ $BACKUP_VERIFY == read ]]; then
    if [[ $POSTGRESQL_SCOPE == cluster ]]; then
      [[ $(gzip -dc "$1" | tail -n 3) == *'dump complete'* ]] || fail VerifyFailed "the dump has no end: look at the log of PostgreSQL"
    else
      try VerifyFailed "the dump cannot be read" pg_restore --file=/dev/null "$1"
    fi
    verified=read
    return
  fi
  start_scratch
  if [[ $POSTGRESQL_SCOPE == cluster ]]; then
    gzip -dc "$1" | scratch psql -Xq -v ON_ERROR_STOP=1 -d postgres > /dev/null 2> "$work/stderr" ||
      fail VerifyFailed "the dump cannot be restored: $(last_words "$work/stderr")"
    scratch structure > "$work/restored"
    cmp -s "$work/restored" "$work/before" || cmp -s "$work/restored" "$work/after" ||
      fail VerifyFailed "the restored server has other databases or tables: $(first_difference "$work/after" "$work/restored")"
    counts=$(awk -F '|' '{tables += $2} END {printf "{\"databases\": %d, \"tables\": %d}", NR, tables}' "$work/restored")
  else
    scratch createdb --template=template0 --encoding="$(query 'show server_encoding')" restored
    try VerifyFailed "the dump cannot be restored; is an extension missing in the image? Then install it, or set BACKUP_VERIFY=read" \
      scratch pg_restore --exit-on-error --no-owner --no-privileges --no-tablespaces --no-publications --no-subscriptions -d restored "$1"
    scratch psql -XAtq -v ON_ERROR_STOP=1 -d restored > "$work/restored" <<< "$row_counts \gexec"
    cmp -s "$work/rows" "$work/restored" ||
      fail VerifyFailed "the restored database has other rows: $(first_difference "$work/rows" "$work/restored")"
    counts=$(awk -F '|' '{rows += $2} END {printf "{\"tables\": %d, \"rows\": %d}", NR, rows}' "$work/rows")
  fi
  stop_scratch
  verified=yes
}

# Each database with its number of tables.
structure() {
  local name
  for name in $(psql -XAtq -d postgres -c "select datname from pg_database where datallowconn and not datistemplate order by datname collate \"C\""); do
    echo "$name|$(psql -XAtq -d "$name" -c "select count(*) from pg_class where relkind = 'r' and relnamespace::regnamespace::text !~ '^(pg_|information_schema)'")"
  done
}

first_difference() {
  diff "$1" "$2" | grep -m 1 '^[<>]' || true
}

backup_hook "$@"
