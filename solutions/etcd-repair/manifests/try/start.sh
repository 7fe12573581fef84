#!/bin/sh
# Starts a member of etcd. Its flags depend on the present state of the cluster, so the script asks the other members
# at each start: what was true when the Pod was created may be wrong by then.
set -eu

: "${POD_NAME:?is not set: take it from metadata.name}"
: "${POD_NAMESPACE:?is not set: take it from metadata.namespace}"
: "${REPLICAS:?is not set: it has to be the number of replicas of the StatefulSet}"
data=${ETCD_DATA_DIR:-/var/lib/etcd/data}
cluster=${CLUSTER_DIR:-/cluster}
waiting=${TMPDIR:-/tmp}/waiting
domain=${DOMAIN:-${SERVICE:-etcd}.$POD_NAMESPACE.svc}
scheme=${SCHEME:-http}
# Not CLIENT_PORT: Kubernetes sets that variable if there is a Service "client".
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
        # The member was added but has never started: --initial-cluster must be exactly the list of members. A
        # database without a log is left by a start that did not get far, or belongs to another member.
        unstarted)
          rm -rf "$data/member"
          start "$(as_initial_cluster "$members")" existing
          ;;
        # The log and the vote of this member are lost. With the same ID and an empty disk it could break what it has
        # promised to the others, so it waits until it is replaced. Only in a cluster that was never complete is this
        # its first start; etcd checks that too.
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

# Without the log a database is worthless: the log has what the member has promised to the others.
has_log() {
  set -- "$data"/member/wal/*.wal
  [ -e "$1" ]
}

# If there is a log elsewhere on the disk, the disk is not empty: it has the data of an etcd with another --data-dir.
refuse_other_data() {
  for other in "${data%/*}/member" "$data"/*/member; do
    if [ -e "$other" ]; then
      echo "there is nothing in $data, but there is $other: set ETCD_DATA_DIR to ${other%/member}, or take it away" >&2
      exit 1
    fi
  done
}

# Prints lines such as: 8e9e05c52164694d, started, etcd-0, http://etcd-0.etcd.db.svc:2380,
# http://etcd-0.etcd.db.svc:2379, false
ask_others() {
  etcdctl --endpoints "$(everyone | tr , '\n' | grep -v "^$POD_NAME=" | sed "s/^[^=]*=//; s/:$peer_port\$/:$client_port/" | paste -sd , -)" \
    --command-timeout 3s --dial-timeout 3s member list -w simple 2> /dev/null
}

status_of_own() {
  printf '%s\n' "$1" | awk -F ', ' -v own="$own" '$4 == own { print $2 }'
}

# A member that has not started has no name yet; it will be the name of its Pod.
as_initial_cluster() {
  printf '%s\n' "$1" | awk -F ', ' '{
    name = $3
    if (name == "") { name = $4; sub(/^[a-z]*:\/\//, "", name); sub(/\..*/, "", name) }
    print name "=" $4
  }' | paste -sd , -
}

# Prints all members of a new cluster, in the format of --initial-cluster.
everyone() {
  seq 0 "$((REPLICAS - 1))" | sed "s|.*|$statefulset-&=$scheme://$statefulset-&.$domain:$peer_port|" | paste -sd , -
}

may_be_new() {
  [ "$(cat "$cluster/state" 2> /dev/null)" = new ]
}

wait_for() {
  [ -e "$waiting" ] || echo "$1"
  touch "$waiting"
  # In the background, so that a signal ends the script at once.
  sleep 2 &
  wait "$!"
}

# All other settings are etcd's own variables: ETCD_QUOTA_BACKEND_BYTES, ETCD_TRUSTED_CA_FILE and so on.
start() {
  rm -f "$waiting"
  # etcd refuses to start with both the variable and the flag of a setting.
  unset ETCD_DATA_DIR
  exec etcd --name "$POD_NAME" --data-dir "$data" \
    --initial-cluster "$1" --initial-cluster-state "$2" --initial-cluster-token "$POD_NAMESPACE-$statefulset" \
    --initial-advertise-peer-urls "$own" --advertise-client-urls "$scheme://$POD_NAME.$domain:$client_port" \
    --listen-peer-urls "$scheme://0.0.0.0:$peer_port" --listen-client-urls "$scheme://0.0.0.0:$client_port" \
    --listen-metrics-urls "http://0.0.0.0:$metrics_port"
}

# For the probes. A member that waits counts as alive: a restart would not help.
alive() {
  [ -e "$waiting" ] || curl --silent --fail --max-time 5 "http://127.0.0.1:$metrics_port/livez" > /dev/null
}

if [ "${1:-}" = alive ]; then
  alive
else
  main
fi
