#!/usr/bin/env bash
# Backs up etcd: takes a snapshot of one member after checking that the member is not behind. The endpoints and
# credentials are in etcdctl's own variables, ETCDCTL_*.
database=etcd
dump_name=dump.db
# shellcheck source=../lib/backup.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lib/backup.sh"
# shellcheck source=../lib/etcd.sh
source "$(dirname "${BASH_SOURCE[0]}")/../lib/etcd.sh"

database_check() {
  local member status
  for member in ${ETCDCTL_ENDPOINTS//,/ }; do
    # A linearizable read: it only succeeds if the member reaches a quorum, and the revision it returns is the
    # cluster's.
    if status=$(ask "$member" endpoint status) && revision=$(ask "$member" get / --limit=1 | jq .header.revision); then
      endpoint=$member
      size_bytes=$(jq '.[0].Status.dbSize' <<< "$status")
      # A new member preallocates write-ahead log files of 64 MiB each.
      restored_bytes=$((size_bytes + (128 << 20)))
      server_version=$(jq -r '.[0].Status.version' <<< "$status")
      # The ID has 64 bits; jq would round it.
      cluster=$(sed -E 's/.*"cluster_id": ?([0-9]+).*/\1/' <<< "$status")
      compare_members
      return
    fi
  done
  # The error of a refused certificate contains "authentication handshake", which is not about credentials.
  case $(last_words "$work/stderr" | sed 's/authentication handshake//') in
    *authentication* | *'permission denied'* | *'user name is empty'*) fail WrongCredentials "etcd refuses: correct ETCDCTL_USER and ETCDCTL_PASSWORD in the Secret; a snapshot needs the role root: $(last_words "$work/stderr")" ;;
    *) fail DatabaseUnreachable "no member of $ETCDCTL_ENDPOINTS answers with a quorum behind it: look at the members, the URLs and the certificates: $(last_words "$work/stderr")" ;;
  esac
}

# Clusters that were created in the same way have the same cluster ID, so the UID of the object is part of the
# identity.
database_identity() {
  printf 'etcd/%s/%s\n' "$cluster" "${object_uid:-$installation}"
}

database_version() {
  etcdctl version | head -n 1
}

database_dump() { # FILE
  ETCDCTL_ENDPOINTS=$endpoint try DumpFailed "etcdctl got no snapshot of $endpoint" telling_cause etcdctl snapshot save "$1" > /dev/null
}

database_verify() { # FILE
  local status
  try VerifyFailed "etcdutl cannot read the snapshot" etcdutl snapshot status --write-out=json "$1" > "$work/status"
  status=$(< "$work/status")
  (($(jq .revision <<< "$status") >= revision)) ||
    fail VerifyFailed "the snapshot of $endpoint is of revision $(jq .revision <<< "$status"), the cluster was at $revision: that member is behind"
  counts=$(jq -c --argjson alike "$members_alike" '{revision, entries: .totalKey, membersAlike: $alike}' <<< "$status") verified=read
  [[ $BACKUP_VERIFY == yes ]] || return 0
  # This checks the hash of the snapshot, and writes everything that a new member starts with.
  try VerifyFailed "the snapshot cannot be restored" etcdutl snapshot restore "$1" --data-dir "$work/member"
  compare_restored "$work/member/member/snap/db"
  rm -rf "$work/member"
  verified=yes
}

backup_hook "$@"
