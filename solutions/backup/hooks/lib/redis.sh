# shellcheck shell=bash
# The settings of Redis, and how it is queried.

database_settings() {
  : "${REDIS_PORT:=6379}" "${REDIS_TLS:=no}"
  # redis-cli takes an empty variable for a password.
  [[ -z ${REDIS_PASSWORD:-} ]] || export REDISCLI_AUTH=$REDIS_PASSWORD
  expect_set REDIS_HOST 'the Service of Redis'
  expect REDIS_PORT '^[1-9][0-9]{0,4}$' 'a port'
  expect REDIS_TLS '^(yes|no)$' 'yes or no'
  for program in redis-cli redis-server redis-check-rdb; do expect_program "$program"; done
  redis=(redis-cli -e -h "${REDIS_HOST:-}" -p "$REDIS_PORT")
  [[ -z ${REDIS_USERNAME:-} ]] || redis+=(--user "$REDIS_USERNAME")
  [[ $REDIS_TLS == no ]] || redis+=(--tls)
  [[ -z ${REDIS_CACERT:-} ]] || redis+=(--cacert "$REDIS_CACERT")
}

count_keys() {
  awk -F '[=,]' '/^db[0-9]+:/ {keys += $2} END {print keys + 0}'
}

# Counts the keys without a time to live, which disappear only when they are removed.
count_lasting() {
  awk -F '[=,]' '/^db[0-9]+:/ {keys += $2 - $4} END {print keys + 0}'
}

# Counts the libraries of functions, which Redis has since version 7.
count_libraries() {
  awk -F : '/^number_of_libraries:/ {libraries = $2} END {print libraries + 0}'
}

# Prints how much memory the data takes, without the buffers for clients, replicas and the append-only file.
count_bytes() {
  awk -F : '/^used_memory:/ {bytes += $2} /^mem_(clients_normal|clients_slaves|replication_backlog|aof_buffer):/ {bytes -= $2} END {print bytes + 0}'
}

# Checks a file, and starts a server with it. Sets read, the number of keys, expires, those with a time to live, and
# libraries.
load_scratch() { # FILE
  local have
  check_file "$1"
  start_scratch "$1"
  scratch INFO > "$work/info"
  have=$(count_keys < "$work/info") libraries=$(count_libraries < "$work/info")
  # Keys may have expired in the meantime; if none can expire, the numbers must be equal.
  ((have <= read && have >= read - expires)) || fail VerifyFailed "a server that starts with the file has $have keys, expected $read"
}

check_file() { # FILE
  local report
  report=$(redis-check-rdb "$1" 2>&1) || fail VerifyFailed "redis-check-rdb finds the file damaged: $(tail -n 2 <<< "$report" | tr '\n' ' ')"
  read=$(sed -n 's/^.*\[info\] \([0-9]*\) keys read.*/\1/p' <<< "$report")
  expires=$(sed -n 's/^.*\[info\] \([0-9]*\) expires.*/\1/p' <<< "$report")
}

# Starts a scratch server that is reachable by a socket only. It loads all data into memory; without dataset_bytes,
# the file says how much that takes.
start_scratch() { # FILE
  local bytes=${dataset_bytes:-$(redis-check-rdb "$1" 2>&1 | sed -n "s/.*AUX FIELD used-mem = '\([0-9]\{1,15\}\)'.*/\1/p")}
  check_memory "${bytes:-0}" "a server that starts with the file"
  (
    # With this limit it ends itself before the kernel kills the whole container.
    ulimit -d $((memory_left / 1024))
    exec {folder_fd}<&-
    exec redis-server --port 0 --unixsocket "$work/redis.sock" --dir "$(dirname "$1")" --dbfilename "$(basename "$1")" \
      --save '' --appendonly no --databases 1024
  ) > "$work/server.log" 2>&1 &
  scratch_pid=$!
  until [[ $(scratch PING 2> /dev/null) == PONG ]]; do
    # After it has run out of memory, the server may go on for a while, to test the memory.
    ! grep -q -i 'out of memory\|failed allocating' "$work/server.log" || fail_for_memory
    kill -0 "$scratch_pid" 2> /dev/null || scratch_ended
    sleep 0.05
  done
}

scratch_ended() {
  local code=0
  wait "$scratch_pid" || code=$?
  ((code != 128 + 9)) || fail_for_memory
  fail VerifyFailed "no server starts with the file: $(last_words "$work/server.log")"
}

fail_for_memory() {
  scratch_signal=KILL
  fail MemoryTooSmall "a server that starts with the file takes more memory than there is: $memory_words"
}

scratch() {
  env -u REDISCLI_AUTH redis-cli -s "$work/redis.sock" "$@"
}
