# What the scripts share. They run in the image of PostgreSQL, with bash.
set -euo pipefail
umask 077

fail() {
  echo "$*" >&2
  exit 1
}

# A Secret that was made of a file has a newline at the end, which is no part of the password.
read_password() { # VARIABLE KEY
  local -n password=$1
  password=${password%$'\n'}
  [[ -n $password && $password != *$'\n'* ]] || fail "the key $2 of the Secret must have one line: a password that is not empty"
}
read_password ADMIN_PASSWORD adminPassword
[ -z "${PASSWORD+set}" ] || read_password PASSWORD password

# One server, or one step of a migration, works on the volume at a time.
lock_volume() {
  exec 9>/volume/lock
  flock --wait "$1" 9 || fail 'something else works on this volume: a server that has not ended, or a migration'
}

# The major version whose data counts; empty on a new volume.
current() {
  cat /volume/current 2>/dev/null || true
}

# Makes a server without data, at once or not at all.
make_server() {
  rm -rf "$1.part"
  initdb --pgdata="$1.part" --username=postgres --auth=scram-sha-256 --encoding=UTF8 --locale=C \
    --pwfile=<(printf '%s' "$ADMIN_PASSWORD") >/tmp/initdb.log || fail "initdb: $(tail -n 3 /tmp/initdb.log)"
}

# Runs a server that only this container reaches.
serve_here() {
  local data=$1
  shift
  chmod 700 "$data"
  postgres -D "$data" -k /tmp -c listen_addresses= -c hba_file=/scripts/pg_hba.conf "$@" 9>&- &
  server=$!
  export PGHOST=/tmp PGUSER=postgres
  until pg_isready -q; do
    kill -0 "$server" 2>/dev/null || fail "the server of $data does not start"
    sleep 0.2
  done
}

end_server() {
  kill -INT "$server"
  wait "$server"
}

END='-- This dump is complete.'

# Prints SQL that makes the same roles and databases in a new server.
dump_all() {
  pg_dumpall --globals-only | grep -vx 'CREATE ROLE postgres;'
  echo '\connect postgres'
  pg_dump postgres
  PGDATABASE=postgres psql -XAtc "select datname from pg_database where datallowconn and not datistemplate and datname <> 'postgres'" |
    while IFS= read -r database; do PGDATABASE=$database pg_dump --create; done
  echo "$END"
}

is_complete() {
  gzip -dc "$1" | tail -n 1 | grep -Fqx -e "$END"
}
