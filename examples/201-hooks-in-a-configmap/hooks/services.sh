#!/bin/sh
# Prints which Services of a namespace come and go, with their ports.
set -eu

if [ "${1:-}" = --config ]; then
  cat <<YAML
configVersion: v1
kubernetes:
  - name: services
    apiVersion: v1
    kind: Service
    namespace: {nameSelector: {matchNames: ["${POD_NAMESPACE:-default}"]}}
    executeHookOnEvent: [Added, Deleted]
    jqFilter: '{name: .metadata.name, ports: [.spec.ports[]?.port]}'
    keepFullObjectsInMemory: false
YAML
  exit
fi

# The image has jq; an image without it uses that of hooklet.
command -v jq > /dev/null || jq() { hooklet jq "$@"; }

jq -r '
  .[]
  | if .type == "Synchronization"
    then "Services at the start: \(.objects | length)"
    else "\(.watchEvent) \(.filterResult.name), ports \(.filterResult.ports | join(" "))"
    end
' "$BINDING_CONTEXT_PATH"
