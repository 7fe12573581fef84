#!/bin/sh
# Writes a dated backup of all labeled ConfigMaps and Secrets, verifies it, and keeps the last few.
set -eu

if [ "${1:-}" = --config ]; then
  # The namespaces in which this hook has rights. Without names, all namespaces.
  names=$(printf '%s\n' "${COPY_NAMESPACES:-*}" | tr -s ' ,' '\n\n' | sed '/^$/d; s/.*/"&"/' | paste -sd, -)
  case $names in
    '' | *'"*"'*) where= ;;
    *) where="namespace: {nameSelector: {matchNames: [$names]}}" ;;
  esac
  cat <<YAML
configVersion: v1
schedule:
  - name: backup
    # Every minute, for demonstration; set BACKUP_CRONTAB='0 3 * * *' for every night.
    crontab: "${BACKUP_CRONTAB:-* * * * *}"
    queue: backup
    includeSnapshotsFrom: [settings, configmaps, secrets]
kubernetes:
  - name: settings
    apiVersion: v1
    kind: ConfigMap
    nameSelector: {matchNames: [hooklet-settings]}
    namespace: {nameSelector: {matchNames: ["${SETTINGS_NAMESPACE:-default}"]}}
    executeHookOnSynchronization: false
    executeHookOnEvent: []
    keepFullObjectsInMemory: false
    jqFilter: .data
  - name: configmaps
    apiVersion: v1
    kind: ConfigMap
    $where
    labelSelector: {matchLabels: {hooklet.dev/copy: "true"}}
    executeHookOnSynchronization: false
    executeHookOnEvent: []
  - name: secrets
    apiVersion: v1
    kind: Secret
    $where
    labelSelector: {matchLabels: {hooklet.dev/copy: "true"}}
    executeHookOnSynchronization: false
    executeHookOnEvent: []
YAML
  exit
fi

# The image has jq; an image without it uses that of hooklet.
command -v jq > /dev/null || jq() { hooklet jq "$@"; }

# The backup contains Secrets: only this user may read it.
umask 077
folder=${BACKUP_DIR:-/tmp/hooklet-backups}
mkdir -p "$folder"

# All contexts have the same snapshots, from the begin of this run: use those of the last one.
keep=$(jq -r 'last.snapshots.settings[0].filterResult.keepBackups // "3"' "$BINDING_CONTEXT_PATH")
case $keep in
  # Only digits, no leading zero, at most four.
  '' | 0* | *[!0-9]* | ?????*)
    echo "keepBackups in ConfigMap hooklet-settings is \"$keep\": set it to a number from 1 to 9999" >&2
    exit 1
    ;;
esac

name=backup-$(date -u +%Y%m%dT%H%M%SZ)
temporary=$folder/.$name.tmp
# Also removes the files of runs that were killed.
remove_temporary() { rm -f "$folder"/.backup-*.tmp; }
remove_temporary
trap remove_temporary EXIT
trap 'exit 143' TERM

# Metadata that belongs to the deleted object is removed, so that `kubectl apply` restores it, and the garbage collector
# does not delete it again because its owner does not exist.
jq -c 'last.snapshots | {
  apiVersion: "v1",
  kind: "List",
  items: [(.configmaps + .secrets)[].object | del(.metadata | (
    .managedFields, .uid, .resourceVersion, .generation, .creationTimestamp,
    .deletionTimestamp, .deletionGracePeriodSeconds, .ownerReferences, .finalizers
  ))]
}' "$BINDING_CONTEXT_PATH" > "$temporary"

# Verified before it counts: it can be read, and its content equals the snapshots.
content='length, map([.kind, .metadata.namespace, .metadata.name, .type, .data, .binaryData])'
expected=$(jq -c "last.snapshots | (.configmaps + .secrets) | map(.object) | $content" "$BINDING_CONTEXT_PATH")
written=$(jq -c ".items | $content" "$temporary")
if [ "$written" != "$expected" ]; then
  echo "the backup does not hold what is in the cluster, it is thrown away: is $folder full?" >&2
  exit 1
fi

count=${written%%
*}
echo "{\"name\": \"hooklet_backup_objects\", \"set\": $count}" > "$METRICS_PATH"
if [ "$count" = 0 ]; then
  # Empty backups would eventually replace the last useful one.
  echo "nothing has the label hooklet.dev/copy=true, so no backup is written"
  exit
fi
mv "$temporary" "$folder/$name.json"

# Only now are older ones removed; names sort by date.
removed=0
for old in $(ls "$folder" | grep '^backup-[0-9TZ]*\.json$' | sort -r | tail -n "+$((keep + 1))"); do
  rm -f "$folder/$old"
  removed=$((removed + 1))
done

echo "{\"name\": \"hooklet_backup_last_success_timestamp_seconds\", \"set\": $(date +%s)}" >> "$METRICS_PATH"
echo "wrote $folder/$name.json with $count objects, removed $removed old"
