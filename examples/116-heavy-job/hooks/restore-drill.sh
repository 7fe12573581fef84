#!/usr/bin/env bash
# Restores the newest snapshot of an etcd every night, as after a disaster, and writes down what came out of it.
set -euo pipefail

if [[ ${1:-} == --config ]]; then
  cat <<YAML
configVersion: v1
schedule:
  - name: drill
    crontab: "${DRILL_CRONTAB:-0 4 * * *}"
    timeZone: Etc/UTC
    # Of the nights in which nothing ran, the last is made up for.
    missed: latest
    # Each attempt is a Job.
    retry: {max: 3, backoff: {first: 1m, max: 30m}}
settings:
  timeout: 2h
YAML
  exit
fi

fail() { echo "$*" >&2; exit 1; }
# The image has jq; an image without it uses that of hooklet.
command -v jq > /dev/null || jq() { hooklet jq "$@"; }

folder=${SNAPSHOT_DIR:-/snapshots}
shopt -s nullglob
snapshots=("$folder"/*.db)
((${#snapshots[@]} > 0)) || fail "there is no snapshot in $folder: mount the volume there"
# They are named by their times, and a pattern is sorted.
snapshot=${snapshots[-1]}

scratch=$(mktemp -d "${DRILL_DIR:-/tmp}/drill-XXXXXX")
trap 'rm -rf "$scratch"' EXIT
# All of it is read, compared with its checksum, and written again: that is what takes memory, and room for one more.
etcdutl snapshot restore "$snapshot" --data-dir "$scratch/data" || fail "${snapshot##*/} cannot be restored"
status=$(etcdutl snapshot status "$scratch/data/member/snap/db" --write-out=json) || fail "what came out of ${snapshot##*/} cannot be read"
jq -e '.totalKey > 0' <<< "$status" > /dev/null || fail "there is nothing in ${snapshot##*/}"

# The Pod has no rights: hooklet writes this, once the hook has ended well.
jq -n --arg snapshot "${snapshot##*/}" --argjson status "$status" --slurpfile contexts "$BINDING_CONTEXT_PATH" '{
  operation: "CreateOrUpdate",
  object: {
    apiVersion: "v1", kind: "ConfigMap", metadata: {name: "restore-drill", namespace: "example-heavy-job"},
    data: {snapshot: $snapshot, keys: "\($status.totalKey)", revision: "\($status.revision)", night: $contexts[0][-1].scheduledAt}
  }
}' > "$KUBERNETES_PATCH_PATH"
printf '{"name": "restore_drill_%s", "action": "set", "value": %s}\n' \
  last_success_timestamp_seconds "$(date +%s)" last_keys "$(jq .totalKey <<< "$status")" > "$METRICS_PATH"
echo "${snapshot##*/} restored: $(jq -r '"\(.totalKey) keys, revision \(.revision)"' <<< "$status")"
