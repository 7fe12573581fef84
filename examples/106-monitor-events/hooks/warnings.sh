#!/bin/sh
# Prints the warnings of a namespace as they come.
set -eu

if [ "${1:-}" = --config ]; then
  cat <<YAML
configVersion: v1
kubernetes:
  - name: warnings
    apiVersion: events.k8s.io/v1
    kind: Event
    namespace: {nameSelector: {matchNames: ["${POD_NAMESPACE:-default}"]}}
    # The API server sends the warnings only.
    fieldSelector:
      matchExpressions:
        - field: type
          operator: Equals
          value: Warning
    # Old news is not worth a run; an Event that expires is none at all.
    executeHookOnSynchronization: false
    executeHookOnEvent: [Added, Modified]
    jqFilter: '{reason, note, regarding: "\(.regarding.kind)/\(.regarding.name)", count: (.series.count // 1)}'
    keepFullObjectsInMemory: false
YAML
  exit
fi

# The image has jq. Where it is missing, hooklet's own stands in.
command -v jq > /dev/null || jq() { hooklet jq "$@"; }

jq -r '
  .[].filterResult
  | "\(.regarding): \(.reason): \(.note)\(if .count > 1 then " (\(.count) times)" else "" end)"
' "$BINDING_CONTEXT_PATH"
