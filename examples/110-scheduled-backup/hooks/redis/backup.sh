#!/usr/bin/env bash
# Backs up Redis: all its databases as one RDB file, as a replica would get it.
database=redis
dump_name=dump.rdb
# shellcheck source=../lib/backup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lib/backup.sh"
# shellcheck source=../lib/redis.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lib/redis.sh"

database_check() {
  local said
  if ! said=$(timeout 20 "${redis[@]}" INFO 2>&1) || [[ $said != *used_memory:* ]]; then
    said=$(tail -n 2 <<< "$said" | tr '\n' ' ')
    case $said in
      *NOAUTH* | *WRONGPASS* | *'AUTH failed'* | *NOPERM*) fail WrongCredentials "Redis refuses: correct REDIS_USERNAME and REDIS_PASSWORD in the Secret; the user needs +psync, +replconf, +info and +ping: $said" ;;
      *) fail DatabaseUnreachable "Redis at $REDIS_HOST does not answer: look at its Pods, REDIS_HOST and REDIS_PORT: $said" ;;
    esac
  fi
  size_bytes=$(sed -n 's/^used_memory:\([0-9]*\).*/\1/p' <<< "$said")
  server_version=$(sed -n 's/^redis_version:\([0-9.]*\).*/\1/p' <<< "$said")
  keys_before=$(count_keys <<< "$said")
}

database_version() {
  redis-cli --version
}

database_dump() { # FILE
  try DumpFailed "redis-cli got no RDB file" "${redis[@]}" --rdb "$1" > /dev/null
}

database_verify() { # FILE
  local report read expires have
  report=$(redis-check-rdb "$1" 2>&1) || fail VerifyFailed "redis-check-rdb finds the file damaged: $(tail -n 2 <<< "$report" | tr '\n' ' ')"
  read=$(sed -n 's/^.*\[info\] \([0-9]*\) keys read.*/\1/p' <<< "$report")
  expires=$(sed -n 's/^.*\[info\] \([0-9]*\) expires.*/\1/p' <<< "$report")
  ((read > 0 || keys_before == 0)) || fail VerifyFailed "Redis has $keys_before keys, and the file has none: look at the log of Redis"
  counts="{\"keys\": $read}" verified=read
  [[ $BACKUP_VERIFY == yes ]] || return 0

  start_scratch "$1"
  have=$(scratch INFO keyspace | count_keys)
  # Keys may have reached their time meanwhile; without such keys it is exactly what was read.
  ((have <= read && have >= read - expires)) || fail VerifyFailed "a server that starts with the file has $have keys, expected $read"
  stop_scratch
  verified=yes
}

backup_hook "$@"
