#!/usr/bin/env bash
# Prints which namespaces come and go, and how their labels change: two bindings in one hook.
set -euo pipefail

if [ "${1:-}" = --config ]; then
  cat <<'YAML'
configVersion: v1
kubernetes:
  - name: namespaces
    apiVersion: v1
    kind: Namespace
    executeHookOnEvent: [Added, Deleted]
    jqFilter: .metadata.name
    keepFullObjectsInMemory: false
  - name: labels
    apiVersion: v1
    kind: Namespace
    executeHookOnSynchronization: false
    executeHookOnEvent: [Modified]
    # Only a change of the filter's result is an event: changes of annotations or the status are ignored.
    jqFilter: '{name: .metadata.name, labels: .metadata.labels}'
    keepFullObjectsInMemory: false
YAML
  exit
fi

# The image has jq; an image without it uses that of hooklet.
command -v jq > /dev/null || jq() { hooklet jq "$@"; }

# One line for each change: a word, a name, and the rest.
lines='
  .[]
  | if .type == "Synchronization" then "start - \([.objects[].filterResult] | join(" "))"
    elif .binding == "labels" then "labels \(.filterResult.name) \(.filterResult.labels | tojson)"
    else "\(.watchEvent) \(.filterResult)"
    end
'

jq -r "$lines" "$BINDING_CONTEXT_PATH" | while read -r event name rest; do
  case $event in
    start) echo "namespaces at the start: $rest" ;;
    Added) echo "namespace $name was created" ;;
    Deleted) echo "namespace $name was deleted" ;;
    labels) echo "namespace $name has now the labels $rest" ;;
  esac
done
