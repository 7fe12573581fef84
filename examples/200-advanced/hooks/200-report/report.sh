#!/bin/sh
# Prints the inventory on a schedule. Its queue is its own: a report that takes long holds up no inventory.
set -eu
. "$(dirname "$0")/../lib/functions.sh"

if [ "${1:-}" = --config ]; then
  cat <<YAML
configVersion: v1
schedule:
  - name: report
    crontab: "${REPORT_CRONTAB:-*/5 * * * *}"
    queue: reports
    includeSnapshotsFrom: [inventory]
kubernetes:
  - name: inventory
    apiVersion: v1
    kind: ConfigMap
    namespace: {nameSelector: {matchNames: ["$namespace"]}}
    nameSelector: {matchNames: [inventory]}
    # Watched, but never triggers a run.
    executeHookOnSynchronization: false
    executeHookOnEvent: []
    jqFilter: .data
    keepFullObjectsInMemory: false
YAML
  exit
fi

jq -r '
  last.snapshots.inventory[].filterResult
  | "\(.title): Pods \(.pods // "" | split(" ") | length), Services \(.services // "" | split(" ") | length)"
' "$BINDING_CONTEXT_PATH"
