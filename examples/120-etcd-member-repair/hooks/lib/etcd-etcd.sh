# shellcheck shell=bash
# How etcd is asked.

# Runs etcdctl against endpoints, with a limit of time. Its messages about retries go where its answer does not.
etcd_ask() {
  local -r endpoints=$1
  shift
  etcdctl --endpoints "$endpoints" --command-timeout "${COMMAND_TIMEOUT}s" --dial-timeout "${COMMAND_TIMEOUT}s" "$@"
}

# The same as JSON.
etcd_ask_json() {
  local text
  text=$(etcd_ask "$@" -w json) || return
  with_hex_ids <<< "$text"
}

# Ids have 64 bits, more than a number in JSON can hold: they become text, in hex as people see them.
with_hex_ids() {
  local text id hex script=''
  text=$(< /dev/stdin)
  for id in $(grep -oE '"(ID|member_id|memberID|leader)":[0-9]+' <<< "$text" | grep -oE '[0-9]+$' | sort -u); do
    printf -v hex %x "$id"
    script+="s/\"(ID|member_id|memberID|leader)\":$id([,}])/\"\\1\":\"$hex\"\\2/g;"
  done
  sed -E "$script" <<< "$text"
}

# What is worth telling of what etcdctl printed to standard error: its last word, and what is behind a time limit.
etcd_error() {
  local last cause
  last=$(grep -v '^{"level":"info"' <<< "$1" | sed -E 's/.*"error":"(([^"\\]|\\.)*)".*/\1/; s/\\"/"/g' | tail -n 1)
  cause=$(sed -nE 's/.*latest balancer error: connection error: desc = \\"(.*)\\"".*/\1/p' <<< "$1" | tail -n 1)
  [[ -z $cause || $last == *"$cause"* ]] || last+=": $cause"
  echo "${last:0:300}"
}
