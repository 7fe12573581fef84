#!/usr/bin/env bash
# Restores a backup of Redis: key by key to a running server, or as a file for a server that is started later.
database=redis
dump_name=dump.rdb
# shellcheck source=../hooks/lib/restore.sh
source "$(dirname "${BASH_SOURCE[0]}")/../hooks/lib/restore.sh"
# shellcheck source=../hooks/lib/redis.sh
source "$(dirname "${BASH_SOURCE[0]}")/../hooks/lib/redis.sh"

usage() {
  cat <<'TEXT'
redis.sh [--list] [--backup NAME] [--take-over IDENTITY] [--force] [--into FOLDER]
  --list       print the backups there are
  --backup     the one to restore; without it the newest
  --take-over  whose backup may be restored, when it is of another database than this one
  --force      restore although the server has keys or functions: they are saved beside the backups first, then removed
  --into       write dump.rdb to this folder, for a server that starts from there; nothing is sent to a server
TEXT
}

restore_arguments() {
  (($# == 0)) || [[ $1 == --into ]] || fail BadSettings "unknown argument $1: see --help"
  (($# == 0 || $# == 2)) || fail BadSettings "--into takes one folder: see --help"
}

main() {
  restore_begin "$@"
  if ((${#rest[@]} == 0)); then
    restore_to_server
  else
    restore_to_folder "${rest[1]}"
  fi
}

restore_to_server() {
  local keys libraries
  step look
  [[ $REDIS_TLS == no ]] || refuse "keys cannot be sent over TLS: use --into on the volume of the server"
  count_there
  ((keys + libraries == 0)) || [[ $force == yes ]] ||
    refuse "Redis at $REDIS_HOST has $keys keys and $libraries libraries of functions: with --force they are saved beside the backups, and replaced"
  # If memory ran out, the kernel could kill other processes of the container, too.
  watch_room
  start_scratch "$dump"
  scratch INFO > "$work/expected"
  expect_fits
  ((keys + libraries == 0)) || save_present
  step restore
  # One key of our own goes first: if the server does not take it, nothing else is changed.
  scratch SET "hooklet-restore-$stamp" '' > "$work/said"
  send_keys "hooklet-restore-$stamp" "nothing was changed"
  scratch DEL "hooklet-restore-$stamp" > "$work/said"
  try RestoreFailed "Redis at $REDIS_HOST keeps the key hooklet-restore-$stamp, nothing else was changed" "${redis[@]}" DEL "hooklet-restore-$stamp" > "$work/said"
  send_functions
  try RestoreFailed "Redis at $REDIS_HOST cannot be emptied, its keys are as they were" "${redis[@]}" FLUSHALL > "$work/said"
  send_keys '*' "Redis holds a part of them now, and the functions of the backup"
  count_there
  ((keys == $(count_keys < "$work/expected"))) || echo "warning: Redis has $keys keys, the backup had $(count_keys < "$work/expected"): does somebody write meanwhile?" >&2
  (($(count_lasting < "$work/there") >= $(count_lasting < "$work/expected"))) ||
    fail RestoreFailed "Redis at $REDIS_HOST has lost keys of the backup: it has $(count_lasting < "$work/there") without a time to live, the backup has $(count_lasting < "$work/expected"): look at its maxmemory and maxmemory-policy, and for who else writes to it; then restore once more with --force"
  ((libraries == $(count_libraries < "$work/expected"))) ||
    fail RestoreFailed "the keys are restored, but Redis at $REDIS_HOST has $libraries libraries of functions, the backup has $(count_libraries < "$work/expected"): does somebody load them meanwhile?"
  echo "restored backup $backup with $keys keys and $libraries libraries of functions to Redis at $REDIS_HOST"
}

count_there() {
  try RestoreFailed "Redis at $REDIS_HOST does not answer" timeout 20 "${redis[@]}" INFO > "$work/there"
  keys=$(count_keys < "$work/there") libraries=$(count_libraries < "$work/there")
}

# Checks, before anything is removed, that the server has all databases that have keys in the backup, and enough
# memory.
expect_fits() {
  local highest limit need
  highest=$(sed -n 's/^db\([0-9]*\):.*/\1/p' "$work/expected" | sort -n | tail -n 1)
  [[ -z $highest ]] || try RestoreFailed "Redis at $REDIS_HOST has no database $highest, which the backup has keys in, or its user may not use it; nothing was changed: set \"databases\" of the server to $((highest + 1)) or more, or use --into" \
    "${redis[@]}" SELECT "$highest" > "$work/said"
  limit=$(sed -n 's/^maxmemory:\([0-9]*\).*/\1/p' "$work/there") need=$(count_bytes < "$work/expected")
  ((${limit:-0} == 0 || limit >= need)) ||
    fail RestoreFailed "the backup takes $need bytes of memory, and maxmemory of Redis at $REDIS_HOST is $limit; nothing was changed: raise it"
}

save_present() {
  step save
  try RestoreFailed "what is there cannot be saved, nothing was changed" "${redis[@]}" --rdb "$work/present.rdb" > "$work/said"
  try RestoreFailed "what is there is not saved well, nothing was changed" redis-check-rdb "$work/present.rdb" > "$work/said"
  ((${#recipients[@]} == 0)) || seal "$work/present.rdb"
  target_save "$work"/present.rdb* "before-restore-$stamp"
  echo "saved what is there to before-restore-$stamp in $(target_describe)"
}

# MIGRATE sends keys only. The libraries of the backup replace all that are there, or nothing changes. A backup of a
# Redis before version 7 has no libraries, and can be restored to such a Redis.
send_functions() {
  ((libraries + $(count_libraries < "$work/expected") > 0)) || return 0
  scratch FUNCTION DUMP | head -c -1 > "$work/functions"
  try RestoreFailed "Redis at $REDIS_HOST does not take the functions; the user needs +function, the server version 7; nothing was changed" \
    "${redis[@]}" -X libraries FUNCTION RESTORE libraries FLUSH < "$work/functions" > "$work/said"
}

# The scratch server sends the keys with type, time to live and database. The password goes over standard input, as
# everybody can read the arguments of a process.
send_keys() { # PATTERN ADVICE
  local sent
  sent=$(printf %s "${REDIS_PASSWORD:-}" |
    scratch -x -e EVAL "$migrate" 0 "$1" "$REDIS_HOST" "$REDIS_PORT" "${REDIS_USERNAME:-default}" 2>&1) ||
    fail RestoreFailed "Redis at $REDIS_HOST does not take the keys; if it is older than $(redis-cli --version), use --into; $2: $sent"
}

migrate='
for db in redis.call("INFO", "keyspace"):gmatch("db(%d+):") do
  redis.call("SELECT", db)
  local cursor = "0"
  repeat
    local page = redis.call("SCAN", cursor, "COUNT", 500, "MATCH", ARGV[1])
    cursor = page[1]
    if #page[2] > 0 then
      local command = {"MIGRATE", ARGV[2], ARGV[3], "", db, "60000", "COPY", "REPLACE"}
      if ARGV[5] ~= "" then
        for _, word in ipairs({"AUTH2", ARGV[4], ARGV[5]}) do command[#command + 1] = word end
      end
      command[#command + 1] = "KEYS"
      for _, key in ipairs(page[2]) do command[#command + 1] = key end
      redis.call(unpack(command))
    end
  until cursor == "0"
end'

restore_to_folder() { # FOLDER
  step look
  [[ -d $1 ]] || fail BadSettings "there is no folder $1"
  if [[ -e $1/dump.rdb || -e $1/appendonlydir ]]; then
    [[ $force == yes ]] || refuse "$1 holds data already: with --force they are kept as *.before-$stamp"
    for present in dump.rdb appendonlydir; do
      [[ ! -e $1/$present ]] || mv -T "$1/$present" "$1/$present.before-$stamp"
    done
  fi
  step restore
  cp "$dump" "$1/.dump.rdb.restored"
  sync "$1/.dump.rdb.restored"
  mv -T "$1/.dump.rdb.restored" "$1/dump.rdb"
  echo "wrote backup $backup to $1/dump.rdb: start the server once with \"appendonly no\""
}

main "$@"
