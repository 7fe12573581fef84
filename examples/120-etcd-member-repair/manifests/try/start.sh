#!/bin/sh
# Starts a member of etcd. What it has to be told depends on the cluster as it is now, so it asks the other members; what
# was true when the Pod was made may be wrong by the next start.
set -eu

: "${POD_NAME:?is not set: take it from metadata.name}"
: "${POD_NAMESPACE:?is not set: take it from metadata.namespace}"
: "${REPLICAS:?is not set: it has to be the number of replicas of the StatefulSet}"
data=${ETCD_DATA_DIR:-/var/lib/etcd/data}
cluster=${CLUSTER_DIR:-/cluster}
waiting=${TMPDIR:-/tmp}/waiting
domain=${DOMAIN:-${SERVICE:-etcd}.$POD_NAMESPACE.svc}
scheme=${SCHEME:-http}
# Not CLIENT_PORT: Kubernetes sets that where there is a Service "client".
client_port=${CLIENT_LISTEN_PORT:-2379}
peer_port=${PEER_LISTEN_PORT:-2380}
metrics_port=${METRICS_LISTEN_PORT:-2381}
own=$scheme://$POD_NAME.$domain:$peer_port
statefulset=${POD_NAME%-*}

main() {
  trap 'exit 0' TERM INT
  if has_log; then
    start "$POD_NAME=$own" existing
  fi
  refuse_other_data
  while :; do
    if members=$(ask_others); then
      case $(status_of_own "$members") in
        # Added, and never started: the list is what --initial-cluster must be, to the letter. A database without a log is
        # of a start that did not get far, or of another member.
        unstarted)
          rm -rf "$data/member"
          start "$(as_initial_cluster "$members")" existing
          ;;
        # Its log and its vote are lost. With the same id and an empty disk it could break promises it made, so it stays
        # out until it is replaced. Only in a cluster that never was whole this is its first start; etcd checks that too.
        started)
          may_be_new && start "$(everyone)" new
          wait_for "the other members know $POD_NAME, but its disk is empty: it waits to be replaced"
          ;;
        *) wait_for "$POD_NAME is no member: it waits to be added" ;;
      esac
    elif may_be_new; then
      start "$(everyone)" new
    else
      wait_for "the disk is empty and no other member answers: it waits for them, since a new cluster would be an empty one"
    fi
  done
}

# Without it a database is worth nothing to the member: what it promised the others is in the log.
has_log() {
  set -- "$data"/member/wal/*.wal
  [ -e "$1" ]
}

# A disk with a log elsewhere is not empty: data of an etcd that had another --data-dir.
refuse_other_data() {
  for other in "${data%/*}/member" "$data"/*/member; do
    if [ -e "$other" ]; then
      echo "there is nothing in $data, but there is $other: set ETCD_DATA_DIR to ${other%/member}, or take it away" >&2
      exit 1
    fi
  done
}

# Lines such as: 8e9e05c52164694d, started, etcd-0, http://etcd-0.etcd.db.svc:2380, http://etcd-0.etcd.db.svc:2379, false
ask_others() {
  etcdctl --endpoints "$(everyone | tr , '\n' | grep -v "^$POD_NAME=" | sed "s/^[^=]*=//; s/:$peer_port\$/:$client_port/" | paste -sd , -)" \
    --command-timeout 3s --dial-timeout 3s member list -w simple 2> /dev/null
}

status_of_own() {
  printf '%s\n' "$1" | awk -F ', ' -v own="$own" '$4 == own { print $2 }'
}

# A member that has not started has no name yet; it is that of its Pod.
as_initial_cluster() {
  printf '%s\n' "$1" | awk -F ', ' '{
    name = $3
    if (name == "") { name = $4; sub(/^[a-z]*:\/\//, "", name); sub(/\..*/, "", name) }
    print name "=" $4
  }' | paste -sd , -
}

# All members of a new cluster.
everyone() {
  seq 0 "$((REPLICAS - 1))" | sed "s|.*|$statefulset-&=$scheme://$statefulset-&.$domain:$peer_port|" | paste -sd , -
}

may_be_new() {
  [ "$(cat "$cluster/state" 2> /dev/null)" = new ]
}

wait_for() {
  [ -e "$waiting" ] || echo "$1"
  touch "$waiting"
  # Not in the foreground, so that the Pod can be ended meanwhile.
  sleep 2 &
  wait "$!"
}

# Everything else can be set as etcd wants it: ETCD_QUOTA_BACKEND_BYTES, ETCD_TRUSTED_CA_FILE and so on.
start() {
  rm -f "$waiting"
  # etcd refuses a variable beside the flag of the same name.
  unset ETCD_DATA_DIR
  exec etcd --name "$POD_NAME" --data-dir "$data" \
    --initial-cluster "$1" --initial-cluster-state "$2" --initial-cluster-token "$POD_NAMESPACE-$statefulset" \
    --initial-advertise-peer-urls "$own" --advertise-client-urls "$scheme://$POD_NAME.$domain:$client_port" \
    --listen-peer-urls "$scheme://0.0.0.0:$peer_port" --listen-client-urls "$scheme://0.0.0.0:$client_port" \
    --listen-metrics-urls "http://0.0.0.0:$metrics_port"
}

# For the probes. Who waits is alive: a restart would not help.
alive() {
  [ -e "$waiting" ] || curl --silent --fail --max-time 5 "http://127.0.0.1:$metrics_port/livez" > /dev/null
}

if [ "${1:-}" = alive ]; then
  alive
else
  main
fi
