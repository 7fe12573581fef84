#!/usr/bin/env bash
# Restores the newest backup of Redis to a scratch server, and runs DRILL_QUERY, a Redis command, there.
database=redis
dump_name=dump.rdb
# shellcheck source=../lib/drill.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lib/drill.sh"
# shellcheck source=../lib/redis.sh
source "$lib/redis.sh"

database_restore() { # FILE
  load_scratch "$1"
  expect_counted keys "$read"
  expect_counted libraries "$libraries"
}

database_query() {
  split_query
  scratch -e "${words[@]}"
}

drill_hook "$@"
