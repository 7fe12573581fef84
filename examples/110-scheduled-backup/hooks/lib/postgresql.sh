# shellcheck shell=bash
# Settings of PostgreSQL, and how it is asked.
sql=$lib/postgresql

# Debian keeps the programs of the server in a folder for each version.
PATH=$PATH:$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1)

database_settings() {
  : "${POSTGRESQL_SCOPE:=database}" "${POSTGRESQL_PASSWORDS:=no}" "${POSTGRESQL_SCRATCH:=}"
  export PGCONNECT_TIMEOUT=${PGCONNECT_TIMEOUT:-20} PGAPPNAME=scheduled-backup
  expect POSTGRESQL_SCOPE '^(database|cluster)$' 'database or cluster'
  expect POSTGRESQL_PASSWORDS '^(yes|no)$' 'yes (roles with their passwords, as a superuser) or no'
  expect POSTGRESQL_SCRATCH '^$|^/.' 'the folder of the container with the scratch server, or nothing'
  expect_set PGHOST 'the Service of PostgreSQL'
  expect_set PGUSER 'a user that may read everything'
  if [[ $POSTGRESQL_SCOPE == cluster ]]; then
    export PGDATABASE=${PGDATABASE:-postgres}
  else
    expect_set PGDATABASE 'the database, or set POSTGRESQL_SCOPE=cluster'
  fi
  for program in psql pg_dump pg_restore initdb postgres tar; do expect_program "$program"; done
  [[ $BACKUP_VERIFY != yes || -n $POSTGRESQL_SCRATCH || $EUID -ne 0 ]] ||
    problems+=("the hook runs as root, and PostgreSQL refuses to verify a backup as root")
}

# The system identifier, which copies of a server have as well, and the database. It need not be there any more.
database_identity() {
  local name system=''
  for name in "$PGDATABASE" postgres template1; do
    system=$(PGDATABASE=$name query 'select system_identifier from pg_control_system()' 2> "$work/stderr") && break
  done
  [[ -n $system ]] || fail DatabaseUnreachable "PostgreSQL at $PGHOST does not say which server it is: $(last_words "$work/stderr")"
  echo "postgresql/$system$([[ $POSTGRESQL_SCOPE == cluster ]] || jq -rn --arg name "$PGDATABASE" '"/" + ($name | @uri)')"
}

restore_identity() {
  database_identity
}

# The first number of the version of a program.
major() { # PROGRAM
  "$1" --version | sed -E 's/[^0-9]*([0-9]+).*/\1/'
}

# Which nobody can guess.
random_word() {
  od -An -N16 -tx1 /dev/urandom | tr -d ' \n'
}

query() {
  run_sql -c "$1"
}

# Runs psql; no name means what the owner of a database wants it to mean.
run_sql() { # ARGUMENT...
  psql -XAtq -v ON_ERROR_STOP=1 -f "$sql/safely.sql" "$@"
}

# Makes again what files of a backup say: how the roles of the server were, and how a database was as a whole.
replay() { # DATABASE-FILE ARGUMENT...
  GLOBALS=$parts/globals.json DATABASE=$1 MADE=$parts/made.json run_sql -f "$sql/replay.sql" "${@:2}"
}

# The parts of a backup, in $parts: globals.json, and for each database N.pgcustom, and what that does not say or is compared
# with: N.json, N.schema.json, N.superuser, N.rows and N.rights. The roles that were made are in made.json.
unpack() { # FILE
  parts=$work/parts
  rm -rf "$parts"
  mkdir "$parts"
  tar -xf "$1" -C "$parts"
  echo '[]' > "$parts/made.json"
}

database_numbers() {
  local file
  for file in "$parts"/*.pgcustom; do basename "$file" .pgcustom; done | sort -n
}
