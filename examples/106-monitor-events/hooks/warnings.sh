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
    # The API server sends only the warnings.
    fieldSelector:
      matchExpressions:
        - field: type
          operator: Equals
          value: Warning
    # No run for Events that exist at the start, nor for Events that expire.
    executeHookOnSynchronization: false
    executeHookOnEvent: [Added, Modified]
    jqFilter: '{reason, note, regarding: "\(.regarding.kind)/\(.regarding.name)", count: (.series.count // 1)}'
    keepFullObjectsInMemory: false
YAML
  exit
fi

# The image has jq; an image without it uses that of hooklet.
command -v jq > /dev/null || jq() { hooklet jq "$@"; }

jq -r '
  .[].filterResult
  | "\(.regarding): \(.reason): \(.note)\(if .count > 1 then " (\(.count) times)" else "" end)"
' "$BINDING_CONTEXT_PATH"
