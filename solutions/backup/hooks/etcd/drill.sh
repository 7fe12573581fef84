#!/usr/bin/env bash
# Restores the newest backup of etcd to a scratch member, starts it, and runs DRILL_QUERY, the arguments of an etcdctl
# command, against it.
database=etcd
dump_name=dump.db
# shellcheck source=../lib/drill.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lib/drill.sh"
# shellcheck source=../lib/etcd.sh
source "$lib/etcd.sh"

# Unix sockets in the folder where etcd is started, which no other user can access.
client=unix://drill:1 peer=unix://drill:2

database_restore() { # FILE
  local ends
  command -v etcd > /dev/null || fail BadSettings "etcd is not in the image, and a drill starts it: add it, or set DRILL_CRONTAB=never"
  try VerifyFailed "the snapshot cannot be restored" etcdutl snapshot restore "$1" --data-dir "$work/member" \
    --name drill --initial-cluster "drill=$peer" --initial-advertise-peer-urls "$peer"
  (
    cd "$work"
    # The scratch member must not read settings that are meant for etcdctl or the real members.
    exec env -i PATH="$PATH" etcd --name drill --data-dir "$work/member" --initial-cluster "drill=$peer" \
      --listen-client-urls "$client" --advertise-client-urls "$client" \
      --listen-peer-urls "$peer" --initial-advertise-peer-urls "$peer" --log-level warn
  ) > "$work/server.log" 2>&1 &
  scratch_pid=$!
  ends=$((SECONDS + 900))
  until scratch endpoint health > "$work/said" 2>&1; do
    ((SECONDS < ends)) || fail VerifyFailed "the member that was started with the snapshot is not well after 15 minutes: $(last_words "$work/said")"
    kill -0 "$scratch_pid" 2> /dev/null || fail VerifyFailed "no member starts with the snapshot: $(last_words "$work/server.log")"
    sleep 0.2
  done
  expect_counted revision "$(scratch endpoint status --write-out=json | jq '.[0].Status.header.revision')"
}

# The restored member has the users and passwords of the time of the backup, so ETCDCTL_USER and ETCDCTL_PASSWORD stay
# set. It uses no TLS.
scratch() {
  (cd "$work" && env -u ETCDCTL_CACERT -u ETCDCTL_CERT -u ETCDCTL_KEY -u ETCDCTL_DISCOVERY_SRV ETCDCTL_ENDPOINTS="$client" \
    etcdctl --dial-timeout=5s --command-timeout=60s "$@")
}

# For a query with --count-only, prints only the count.
database_query() {
  local answer
  split_query
  [[ " ${words[*]} " != *' --count-only '* ]] || words+=(--write-out=fields)
  answer=$(scratch "${words[@]}")
  [[ " ${words[*]} " != *' --count-only '* ]] || answer=$(sed -n 's/^"Count" : //p' <<< "$answer")
  printf '%s\n' "$answer"
}

drill_hook "$@"
