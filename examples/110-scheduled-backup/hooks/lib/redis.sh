# shellcheck shell=bash
# Settings of Redis, and how it is asked.

database_settings() {
  : "${REDIS_PORT:=6379}" "${REDIS_TLS:=no}"
  # Set and empty, redis-cli takes it for a password.
  [[ -z ${REDIS_PASSWORD:-} ]] || export REDISCLI_AUTH=$REDIS_PASSWORD
  expect_set REDIS_HOST 'the Service of Redis'
  expect REDIS_PORT '^[0-9]{1,5}$' 'a port'
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

# A server of our own, reached by a socket only.
start_scratch() { # FILE
  redis-server --port 0 --unixsocket "$work/redis.sock" --dir "$(dirname "$1")" --dbfilename "$(basename "$1")" \
    --save '' --appendonly no --databases 1024 > "$work/server.log" 2>&1 &
  scratch_pid=$!
  until [[ $(scratch PING 2> /dev/null) == PONG ]]; do
    kill -0 "$scratch_pid" 2> /dev/null || fail VerifyFailed "no server starts with the file: $(last_words "$work/server.log")"
    sleep 0.05
  done
}

scratch() {
  env -u REDISCLI_AUTH redis-cli -s "$work/redis.sock" "$@"
}
