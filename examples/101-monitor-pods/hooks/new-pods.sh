#!/bin/sh
# Prints every Pod that is new in a namespace, with its images.
set -eu

if [ "${1:-}" = --config ]; then
  cat <<YAML
configVersion: v1
kubernetes:
  - name: pods
    apiVersion: v1
    kind: Pod
    namespace:
      nameSelector:
        matchNames: ["${POD_NAMESPACE:-default}"]
    executeHookOnEvent: [Added]
    # Only what the hook needs of a Pod is kept in memory.
    jqFilter: '{name: .metadata.name, images: [.spec.containers[].image]}'
    keepFullObjectsInMemory: false
YAML
  exit
fi

# The image has jq; an image without it uses that of hooklet.
command -v jq > /dev/null || jq() { hooklet jq "$@"; }

# The file contains an array: a run may have several events, so handle all of them.
jq -r '
  .[]
  | if .type == "Synchronization"
    then "Pods at the start: \(.objects | length)"
    else .filterResult | "Pod \(.name) is new and runs \(.images | join(", "))"
    end
' "$BINDING_CONTEXT_PATH"
