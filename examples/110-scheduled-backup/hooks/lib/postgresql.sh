# shellcheck shell=bash
# Settings of PostgreSQL, and how it is asked.

# Debian keeps the programs of the server in a folder for each version.
PATH=$PATH:$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1)

database_settings() {
  : "${POSTGRESQL_SCOPE:=database}"
  export PGCONNECT_TIMEOUT=${PGCONNECT_TIMEOUT:-20} PGAPPNAME=scheduled-backup
  expect POSTGRESQL_SCOPE '^(database|cluster)$' 'database or cluster'
  expect_set PGHOST 'the Service of PostgreSQL'
  expect_set PGUSER 'a user that may read everything'
  if [[ $POSTGRESQL_SCOPE == cluster ]]; then
    dump_name=dump.sql.gz
    export PGDATABASE=${PGDATABASE:-postgres}
  else
    expect_set PGDATABASE 'the database, or set POSTGRESQL_SCOPE=cluster'
  fi
  for program in psql pg_dump pg_dumpall pg_restore initdb postgres; do expect_program "$program"; done
  [[ $BACKUP_VERIFY != yes || $EUID -ne 0 ]] || problems+=("the hook runs as root, and PostgreSQL refuses to verify a backup as root")
}

# The first number of the version of a program.
major() { # PROGRAM
  "$1" --version | sed -E 's/[^0-9]*([0-9]+).*/\1/'
}

query() {
  psql -XAtq -v ON_ERROR_STOP=1 -c "$1"
}

# It does not wait for anybody.
scratch_signal=INT

# A server of our own, reached by a socket only, for as long as the verification takes.
start_scratch() {
  try VerifyFailed "initdb failed" \
    initdb --pgdata="$work/server" --username=hooklet_verify --auth=trust --no-sync --locale=C --encoding=UTF8 > /dev/null
  postgres -D "$work/server" -k "$work" -p 5432 -c listen_addresses= -c fsync=off -c full_page_writes=off \
    > "$work/server.log" 2>&1 &
  scratch_pid=$!
  until scratch pg_isready -q; do
    kill -0 "$scratch_pid" 2> /dev/null || fail VerifyFailed "the scratch server does not start: $(last_words "$work/server.log")"
    sleep 0.1
  done
}

scratch() {
  PGHOST=$work PGPORT=5432 PGUSER=hooklet_verify PGDATABASE=postgres PGPASSWORD='' PGSSLMODE=disable "$@"
}

# Which tables have rows in the dump, by the letter of the catalog: those that are logged, and those that are not.
dumped_tables="'p', 'u'"

# Counts large objects, and makes a statement for each table that counts its rows; tables of extensions are not dumped.
row_counts() {
  cat << SQL
select 'large objects', count(*) from pg_largeobject_metadata;
select format('select %L, count(*) from %I.%I', n.nspname || '.' || c.relname, n.nspname, c.relname)
from pg_class c join pg_namespace n on n.oid = c.relnamespace
where c.relkind = 'r' and c.relpersistence in ($dumped_tables) and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
  and not exists (select from pg_depend d where d.objid = c.oid and d.classid = 'pg_class'::regclass and d.deptype = 'e')
order by n.nspname collate "C", c.relname collate "C"
SQL
}
