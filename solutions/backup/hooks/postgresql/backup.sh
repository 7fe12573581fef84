#!/usr/bin/env bash
# Backs up PostgreSQL: one database or the whole server, with the roles they need. libpq's own variables, PG*, say
# which.
database=postgresql
dump_name=dump.tar
# shellcheck source=../lib/backup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lib/backup.sh"
# shellcheck source=../lib/postgresql.sh
source "$lib/postgresql.sh"
# shellcheck source=../lib/postgresql-scratch.sh
source "$lib/postgresql-scratch.sh"
# shellcheck source=../lib/postgresql-verify.sh
source "$lib/postgresql-verify.sh"

# Which tables have their rows in the dump, by relpersistence: permanent and unlogged ones.
dumped_tables="'p', 'u'"

database_check() {
  local server client said
  if ! server=$(server_version_num 2> "$work/stderr"); then
    said=$(last_words "$work/stderr")
    case $said in
      *authentication* | *'no pg_hba.conf'* | *'role "'*) fail WrongCredentials "PostgreSQL refuses the user $PGUSER: correct PGUSER and PGPASSWORD in the Secret: $said" ;;
      *'does not exist'*) fail DatabaseMissing "there is no database $PGDATABASE: correct PGDATABASE: $said" ;;
      *) fail DatabaseUnreachable "PostgreSQL at $PGHOST does not answer: look at its Pods, PGHOST and PGPORT: $said" ;;
    esac
  fi
  set_options "$server"
  server_version=$((server / 10000)).$((server % 10000))
  ((server = server / 10000, client = $(major pg_dump), client >= server)) ||
    fail ClientTooOld "pg_dump $client cannot dump PostgreSQL $server: build the image with postgresql-$server"
  with_passwords=false
  [[ $POSTGRESQL_SCOPE == database && $POSTGRESQL_PASSWORDS == no ]] || with_passwords=true
  if [[ $POSTGRESQL_SCOPE == cluster ]]; then
    size_bytes=$(query 'select sum(pg_database_size(oid)) from pg_database')
  else
    size_bytes=$(query 'select pg_database_size(current_database())')
  fi
  # A new server has some 40 MB before it has a row, and writes a log of up to max_wal_size.
  restored_bytes=$((size_bytes + (64 << 20) + (size_bytes < (1 << 30) ? size_bytes : (1 << 30))))
  look_for_standby
}

# Only the primary has the rows of unlogged tables: in the dump of a standby these tables are empty.
look_for_standby() {
  local name count tables=0
  dump_flags=()
  [[ $(query 'select pg_is_in_recovery()') == t ]] || return 0
  dump_flags=(--no-unlogged-table-data) dumped_tables="'p'"
  dumped_databases > "$work/databases"
  while IFS= read -rd '' name; do
    count=$(PGDATABASE=$name query "select count(*) from pg_class where relkind = 'r' and relpersistence = 'u'")
    tables=$((tables + count))
  done < "$work/databases"
  ((tables > 0)) || return 0
  left_out="{\"rowsOfUnloggedTables\": $tables}"
  echo "PostgreSQL at $PGHOST is a standby, where unlogged tables have no rows: $tables of them are backed up empty"
}

# Prints a NUL byte after each name, as a name may contain anything else.
dumped_databases() {
  if [[ $POSTGRESQL_SCOPE == cluster ]]; then
    run_sql -0 -c "select datname from pg_database where datallowconn and not datistemplate order by datname collate \"C\""
  else
    printf '%s\0' "$PGDATABASE"
  fi
}

database_version() {
  pg_dump --version
}

database_dump() { # FILE
  local name number=0
  parts=$work/parts
  mkdir -p "$parts"
  dumped_databases > "$work/databases"
  while IFS= read -rd '' name; do
    number=$((number + 1))
    dump_database "$name" "$number"
  done < "$work/databases"
  tar -cf "$1" -C "$parts" . 2> "$work/stderr" || fail DumpFailed "the parts of the dump cannot be put together: $(last_words "$work/stderr")"
  rm -r "$parts"
}

# What the dump is compared with later is read in the same snapshot.
dump_database() { # NAME NUMBER
  local code part=$parts/$2
  ARCHIVE=$part.pgcustom ROWS=$part.rows MARK=$(random_word) COUNT=$sql/count-rows.awk PGDATABASE=$1 \
    run_sql -v name="$1" -v scope="$POSTGRESQL_SCOPE" -v passwords="$with_passwords" -v dumped="$dumped_tables" -v unknown='' \
    -f - > "$work/said" 2> "$work/stderr" <<SQL || fail DumpFailed "psql failed: $(how_it_ended $?)"
begin isolation level repeatable read read only;
select pg_export_snapshot() as snapshot, current_setting('server_encoding') as encoding \gset
\setenv SNAPSHOT :snapshot
\setenv ENCODING :encoding
\set mark \`printf %s "\$MARK"\`
$(capture roles "$parts/globals.json")
$(capture database "$part.json")
$(capture schema "$part.schema.json")
$(capture superuser "$part.superuser")
$(capture rights "$part.rights")
\o |awk -v mark="\$MARK" -f "\$COUNT" > "\$ROWS"
\i '${sql//\'/\'\'}/rows.sql'
\o
\! pg_dump --format=custom ${dump_flags[*]} --encoding="\$ENCODING" --snapshot="\$SNAPSHOT" --file="\$ARCHIVE"; echo \$? > "\$ARCHIVE.code"
commit;
SQL
  code=$(< "$part.pgcustom.code")
  rm "$part.pgcustom.code"
  ((code == 0)) || fail DumpFailed "pg_dump failed: $(how_it_ended "$code")"
}

capture() { # QUERY FILE
  printf "\\\\o '%s'\n\\\\i '%s'\n\\\\o\n" "${2//\'/\'\'}" "${sql//\'/\'\'}/$1.sql"
}

database_verify() { # FILE
  local number
  unpack "$1"
  count_parts
  if [[ $BACKUP_VERIFY == read ]]; then
    for number in $(database_numbers); do
      try VerifyFailed "the dump cannot be read" pg_restore --file=/dev/null "$parts/$number.pgcustom"
    done
    verified='read'
    return
  fi
  start_scratch
  restore_parts
  finish_parts
  stop_scratch
  verified=yes
}

count_parts() {
  # The first line of each file is that of the large objects. A name may contain "|".
  counts=$(awk -F '|' '
    FNR == 1 {objects += $NF; next}
    {rows += $NF; tables++}
    END {printf "{\"tables\": %d, \"rows\": %d, \"largeObjects\": %d}", tables, rows, objects}' "$parts"/*.rows)
  counts=$(jq -c --argjson counts "$counts" --arg scope "$POSTGRESQL_SCOPE" --slurpfile globals "$parts/globals.json" -s '
    (map(.unverified // {} | to_entries[]) | group_by(.key) | map({(.[0].key): map(.value) | add}) | add) as $unverified
    | (if $scope == "cluster" then {roles: $globals[0].roles | length, databases: length} else {} end) + $counts
      + if $unverified then {unverified: $unverified} else {} end' "$parts"/*.schema.json)
  [[ $counts != *unverified* ]] || echo "some of it is in the backup, but is not tried out by restoring it: $counts"
}

backup_hook "$@"
