# shellcheck shell=bash
# How etcd is asked.

# Runs etcdctl against endpoints, with a limit of time. Its messages about retries go where its answer does not.
etcd_ask() {
  local -r endpoints=$1
  shift
  etcdctl --endpoints "$endpoints" --command-timeout "${COMMAND_TIMEOUT}s" --dial-timeout "${COMMAND_TIMEOUT}s" "$@"
}

# The same as JSON. Ids have 64 bits, more than a number in JSON can hold: they become text, in hex as people see them.
etcd_ask_json() {
  local text id script=''
  text=$(etcd_ask "$@" -w json) || return
  for id in $(grep -oE '"(ID|member_id|memberID|leader)":[0-9]+' <<< "$text" | grep -oE '[0-9]+$' | sort -u); do
    script+="s/\"(ID|member_id|memberID|leader)\":$id([,}])/\"\\1\":\"$(printf %x "$id")\"\\2/g;"
  done
  sed -E "$script" <<< "$text"
}

# What is worth telling of what etcdctl printed to standard error.
etcd_error() {
  grep -v '^{"level":"info"' <<< "$1" | sed -E 's/.*"error":"(([^"\\]|\\.)*)".*/\1/; s/\\"/"/g' | tail -n 1 | cut -c 1-300
}
