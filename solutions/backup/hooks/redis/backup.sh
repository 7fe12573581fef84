#!/usr/bin/env bash
# Backs up Redis: all its databases as one RDB file, as a replica gets it.
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
  # A dump is restored to memory, not to the disk.
  restored_bytes=0 dataset_bytes=$(count_bytes <<< "$said")
  [[ $BACKUP_VERIFY != yes ]] || check_memory "$dataset_bytes" "the verification of Redis at $REDIS_HOST"
  server_version=$(sed -n 's/^redis_version:\([0-9.]*\).*/\1/p' <<< "$said")
  keys_before=$(count_keys <<< "$said")
  libraries_before=$(count_libraries <<< "$said")
}

database_version() {
  redis-cli --version
}

database_dump() { # FILE
  try DumpFailed "redis-cli got no RDB file" "${redis[@]}" --rdb "$1" > /dev/null
  try DumpFailed "Redis does not answer any more" timeout 20 "${redis[@]}" INFO memory > "$work/info"
  libraries_after=$(count_libraries < "$work/info")
}

database_verify() { # FILE
  check_file "$1"
  ((read > 0 || keys_before == 0)) || fail VerifyFailed "Redis has $keys_before keys, and the file has none: look at the log of Redis"
  counts="{\"keys\": $read}" verified=read
  [[ $BACKUP_VERIFY == yes ]] || return 0
  load_scratch "$1"
  ((libraries == libraries_before || libraries == libraries_after)) ||
    fail VerifyFailed "a server that starts with the file has $libraries libraries of functions, Redis has $libraries_after"
  ((libraries == 0)) || counts="{\"keys\": $read, \"libraries\": $libraries}"
  stop_scratch
  verified=yes
}

backup_hook "$@"
