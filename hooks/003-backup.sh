#!/bin/sh
# Writes a dated backup of all labelled ConfigMaps and Secrets, verifies it, and keeps the last few.
set -eu

if [ "${1:-}" = --config ]; then
  cat <<YAML
configVersion: v1
schedule:
  - name: backup
    # Every minute, to be seen at work; for every night set BACKUP_CRONTAB='0 3 * * *'.
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
    labelSelector: {matchLabels: {hooklet.dev/copy: "true"}}
    executeHookOnSynchronization: false
    executeHookOnEvent: []
  - name: secrets
    apiVersion: v1
    kind: Secret
    labelSelector: {matchLabels: {hooklet.dev/copy: "true"}}
    executeHookOnSynchronization: false
    executeHookOnEvent: []
YAML
  exit
fi

# Secrets are in it: nobody else may read it.
umask 077
folder=${BACKUP_DIR:-/tmp/hooklet-backups}
mkdir -p "$folder"
keep=$(hooklet jq -r '.[-1].snapshots.settings[0].filterResult.keepBackups // "3"' "$BINDING_CONTEXT_PATH")
case $keep in
  '' | 0 | *[!0-9]*)
    echo "keepBackups in ConfigMap hooklet-settings is \"$keep\": set it to a number of 1 or more" >&2
    exit 1
    ;;
esac

name=backup-$(date -u +%Y%m%dT%H%M%SZ)
temporary=$folder/.$name.tmp
trap 'rm -f "$temporary"' EXIT

# What the API server adds is left out, so that the backup can be applied as it is.
hooklet jq -c '.[-1].snapshots | {
  apiVersion: "v1",
  kind: "List",
  items: [(.configmaps + .secrets)[].object
    | del(.metadata.managedFields, .metadata.uid, .metadata.resourceVersion, .metadata.creationTimestamp)]
}' "$BINDING_CONTEXT_PATH" > "$temporary"

# Verified before it counts: it can be read, and everything is in it.
expected=$(hooklet jq '.[-1].snapshots | (.configmaps + .secrets) | length' "$BINDING_CONTEXT_PATH")
written=$(hooklet jq '[.items[] | select(.kind and .metadata.name)] | length' "$temporary")
if [ "$written" != "$expected" ]; then
  echo "the backup holds $written of $expected objects, it is thrown away" >&2
  exit 1
fi
mv "$temporary" "$folder/$name.json"

# Only now may older ones go; names sort by date.
removed=0
for old in $(ls "$folder" | grep '^backup-.*\.json$' | sort -r | tail -n "+$((keep + 1))"); do
  rm -f "$folder/$old"
  removed=$((removed + 1))
done

hooklet jq -n -c --argjson objects "$expected" '
  {name: "hooklet_backup_last_success_timestamp_seconds", set: now},
  {name: "hooklet_backup_objects", set: $objects}
' > "$METRICS_PATH"
echo "wrote $folder/$name.json with $expected objects, removed $removed old"
