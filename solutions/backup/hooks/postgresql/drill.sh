#!/usr/bin/env bash
# Restores the newest backup of PostgreSQL to the scratch server, and runs DRILL_QUERY there: SQL, run in PGDATABASE
# by a role that may read everything and change nothing.
database=postgresql
dump_name=dump.tar
# shellcheck source=../lib/drill.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lib/drill.sh"
# shellcheck source=../lib/postgresql.sh
source "$lib/postgresql.sh"
# shellcheck source=../lib/postgresql-scratch.sh
source "$lib/postgresql-scratch.sh"
# shellcheck source=../lib/postgresql-verify.sh
source "$lib/postgresql-verify.sh"

database_restore() { # FILE
  [[ $dump_name == dump.tar ]] || fail VerifyFailed "backup $backup holds $dump_name, of an earlier version: drills are of those that are made now"
  unpack "$1"
  start_scratch
  restore_parts
}

database_query() {
  local number
  for number in $(database_numbers); do
    if [[ $(jq -r .name "$parts/$number.json") == "$PGDATABASE" ]]; then
      ask_restored "$number" "$DRILL_QUERY"
      return
    fi
  done
  echo "backup $backup has no database $PGDATABASE" >&2
  return 1
}

drill_hook "$@"
