# shellcheck shell=bash
# The settings of PostgreSQL, and how it is queried.
sql=$lib/postgresql

# Debian has the server programs of each version in a folder of their own.
PATH=$PATH:$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1)

# The options of the person who installed this are added to ours.
own_options=${PGOPTIONS:-}

database_settings() {
  : "${POSTGRESQL_SCOPE:=database}" "${POSTGRESQL_PASSWORDS:=no}" "${POSTGRESQL_SCRATCH:=}"
  export PGCONNECT_TIMEOUT=${PGCONNECT_TIMEOUT:-20} PGAPPNAME=scheduled-backup
  set_options 0
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
    problems+=("the hook runs as root, and PostgreSQL refuses to verify a backup as root: run it as another user (setpriv, su), or set BACKUP_VERIFY=read")
}

# Sets the options for all connections to a server of that version; 0 while the version is not known.
set_options() { # VERSION
  PGOPTIONS=$(session_options "$1")$own_options
  export PGOPTIONS
}

# Prints the version of the server as a number. Each server tells it when it accepts a connection, so that no query is
# sent, which the settings of a database or role could stop before `set_options` turns them off.
server_version_num() {
  psql -XAtq -c '\echo :SERVER_VERSION_NUM'
}

# Prints all settings that change what a server prints or allows, as options. A session has them from its first
# statement on, whatever the owner of a database or role has set with ALTER. A server refuses a connection with an
# option that it does not know, hence VERSION.
session_options() { # VERSION
  local options=(
    role=none local_preload_libraries= client_min_messages=notice exit_on_error=off
    timezone=UTC timezone_abbreviations=Default datestyle=ISO,MDY intervalstyle=postgres extra_float_digits=1
    bytea_output=hex xmlbinary=base64 xmloption=content lc_monetary=C lc_numeric=C lc_time=C
    quote_all_identifiers=off standard_conforming_strings=on backslash_quote=safe_encoding
    array_nulls=on transform_null_equals=off check_function_bodies=off
    default_tablespace= temp_tablespaces=
    default_transaction_read_only=off 'default_transaction_isolation=read\ committed' default_transaction_deferrable=off
    statement_timeout=0 lock_timeout=0 idle_in_transaction_session_timeout=0
  )
  (($1 < 120000)) || options+=(default_table_access_method=heap)
  (($1 < 140000)) || options+=(idle_session_timeout=0)
  (($1 < 170000)) || options+=(transaction_timeout=0)
  printf -- '-c %s ' "${options[@]}"
}

# Prints the system identifier, which copies of a server share, and the name of the database, which need not exist.
database_identity() {
  local name system=''
  for name in "$PGDATABASE" postgres template1; do
    system=$(PGDATABASE=$name system_identifier 2> "$work/stderr") && break
  done
  [[ -n $system ]] || fail DatabaseUnreachable "PostgreSQL at $PGHOST does not say which server it is: $(last_words "$work/stderr")"
  echo "postgresql/$system$([[ $POSTGRESQL_SCOPE == cluster ]] || jq -rn --arg name "$PGDATABASE" '"/" + ($name | @uri)')"
}

restore_identity() {
  database_identity
}

system_identifier() {
  local version
  version=$(server_version_num) || return
  set_options "$version"
  query 'select system_identifier from pg_control_system()'
}

# Prints the major version of a program.
major() { # PROGRAM
  "$1" --version | sed -E 's/[^0-9]*([0-9]+).*/\1/'
}

# Prints a random word that cannot be guessed.
random_word() {
  od -An -N16 -tx1 /dev/urandom | tr -d ' \n'
}

query() {
  run_sql -c "$1"
}

# Runs psql so that no name means what the owner of a database wants it to mean: see safely.sql.
run_sql() { # ARGUMENT...
  psql -XAtq -v ON_ERROR_STOP=1 -f "$sql/safely.sql" "$@"
}

# Runs psql with the files of a backup in variables: the roles of the server, and a database as a whole. See
# replay.sql.
replay() { # DATABASE-FILE ARGUMENT...
  GLOBALS=$parts/globals.json DATABASE=$1 MADE=$parts/made.json run_sql -f "$sql/replay.sql" "${@:2}"
}

# Unpacks a backup to $parts: globals.json, and for each database N.pgcustom, and in N.json, N.schema.json,
# N.superuser, N.rows and N.rights what the dump does not have or is compared with. made.json will have the roles that
# were made.
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
