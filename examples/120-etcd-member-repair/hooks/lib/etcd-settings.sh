# shellcheck shell=bash disable=SC2034
# The settings, with their defaults. README.md says what each of them means.

STATEFULSET=${ETCD_STATEFULSET:-etcd}
NAMESPACE=${POD_NAMESPACE:-default}
CLIENT_SCHEME=${ETCD_CLIENT_SCHEME:-http}
CLIENT_PORT=${ETCD_CLIENT_PORT:-2379}
PEER_SCHEME=${ETCD_PEER_SCHEME:-http}
PEER_PORT=${ETCD_PEER_PORT:-2380}
DOMAIN=${ETCD_DOMAIN:-}
DATA_CLAIM=${ETCD_DATA_CLAIM:-}
MARKER=${ETCD_MARKER:-etcd-cluster}
COMMAND_TIMEOUT=${ETCD_TIMEOUT_SECONDS:-3}
REPAIR_AFTER=${REPAIR_AFTER_SECONDS:-300}
JOIN_WITHIN=${REPAIR_JOIN_SECONDS:-600}
MIN_MEMBERS=${REPAIR_MIN_MEMBERS:-3}
CRONTAB=${REPAIR_CRONTAB:-*/15 * * * * *}
SNAPSHOT_DIR=${REPAIR_SNAPSHOT_DIR:-/snapshots}
SNAPSHOTS_KEPT=${REPAIR_SNAPSHOTS_KEPT:-3}
SNAPSHOT_TIMEOUT=${REPAIR_SNAPSHOT_TIMEOUT_SECONDS:-300}
SNAPSHOT_MAX_AGE=${REPAIR_SNAPSHOT_MAX_AGE_SECONDS:-300}

STATE_ANNOTATION=etcd-repair.hooklet.dev/state
PAUSE_ANNOTATION=etcd-repair.hooklet.dev/pause

# It clashes with the flag of the same name.
unset ETCDCTL_ENDPOINTS

command -v jq > /dev/null || jq() {
  hooklet jq "$@"
}

# Says everything that is wrong, not just the first.
check_settings() {
  local problems=0
  check_number ETCD_CLIENT_PORT "$CLIENT_PORT" 1
  check_number ETCD_PEER_PORT "$PEER_PORT" 1
  check_number ETCD_TIMEOUT_SECONDS "$COMMAND_TIMEOUT" 1
  check_number REPAIR_AFTER_SECONDS "$REPAIR_AFTER" 1
  check_number REPAIR_JOIN_SECONDS "$JOIN_WITHIN" 1
  # Of two members both are needed for quorum: to take one out is to lose the cluster.
  check_number REPAIR_MIN_MEMBERS "$MIN_MEMBERS" 3
  check_number REPAIR_SNAPSHOTS_KEPT "$SNAPSHOTS_KEPT" 1
  check_number REPAIR_SNAPSHOT_TIMEOUT_SECONDS "$SNAPSHOT_TIMEOUT" 1
  check_number REPAIR_SNAPSHOT_MAX_AGE_SECONDS "$SNAPSHOT_MAX_AGE" 1
  check_scheme ETCD_CLIENT_SCHEME "$CLIENT_SCHEME"
  check_scheme ETCD_PEER_SCHEME "$PEER_SCHEME"
  check_file ETCDCTL_CACERT
  check_file ETCDCTL_CERT
  check_file ETCDCTL_KEY
  ((problems == 0))
}

check_number() {
  local -r name=$1 value=$2 least=$3
  [[ $value =~ ^[1-9][0-9]{0,8}$ ]] && ((value >= least)) && return
  echo "$name is \"$value\", expected a whole number, at least $least" >&2
  problems=$((problems + 1))
}

check_scheme() {
  [[ $2 == http || $2 == https ]] && return
  echo "$1 is \"$2\", expected http or https" >&2
  problems=$((problems + 1))
}

check_file() {
  [[ -z ${!1:-} || -r ${!1} ]] && return
  echo "$1 is \"${!1}\", which cannot be read: mount the Secret with the certificates there" >&2
  problems=$((problems + 1))
}
