#!/usr/bin/env bash
# scratch-server.sh FOLDER: a PostgreSQL server to restore into, with nothing valuable in its reach. In the Pod it runs in
# a container of its own, as another user; elsewhere the hook starts it with an empty environment.
#   FOLDER/wanted/password   written by the hook: the password of the superuser of the server it wants; empty for no server
#   FOLDER/server/           the socket of that server, its data, and their size in bytes, in "used"; a new password gets a
#                            new server
set -Eeuo pipefail
umask 077
folder=${1:?the folder is missing}
data=$folder/server/data
PATH=$PATH:$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
server_pid=
export TMPDIR=$folder/server

main() {
  local wanted served=
  trap 'stop_server; exit' TERM INT
  stop_server
  while :; do
    wanted=$(cat "$folder/wanted/password" 2> /dev/null || true)
    if [[ $wanted != "$served" ]]; then
      stop_server
      [[ -z $wanted ]] || start_server "$wanted"
      served=$wanted
    fi
    if [[ -n $server_pid ]] && ! kill -0 "$server_pid" 2> /dev/null; then exit 1; fi
    tell_size
    # In the background, so that a signal is handled at once.
    sleep 0.5 &
    wait $! || true
  done
}

# Writes the size for the hook, which watches what the Pod uses.
tell_size() {
  (umask 022 && du -s -B1 "$folder/server" 2> /dev/null | cut -f 1 > "$folder/server/.used") || true
  mv -f "$folder/server/.used" "$folder/server/used"
}

start_server() { # PASSWORD
  printf '%s\n' "$1" > "$folder/server/password"
  initdb --pgdata="$data" --username="scratch_${1:0:16}" --pwfile="$folder/server/password" --auth=scram-sha-256 --no-sync \
    --locale=C --encoding=UTF8 > /dev/null
  rm "$folder/server/password"
  # Restored data must not get into the log, and nothing that was restored may run by itself.
  env -i PATH="$PATH" LC_ALL=C postgres -D "$data" -k "$folder/server" -p 5432 -c listen_addresses= -c fsync=off \
    -c full_page_writes=off -c wal_level=minimal -c max_wal_senders=0 -c autovacuum=off -c jit=off \
    -c log_min_error_statement=panic -c max_locks_per_transaction=1024 &
  server_pid=$!
}

stop_server() {
  if [[ -n $server_pid ]]; then
    kill -INT "$server_pid" 2> /dev/null || true
    wait "$server_pid" || true
    server_pid=
  fi
  rm -rf "$data" "$folder"/server/.s.PGSQL.*
}

main
