#!/bin/sh
# Answers every Greeting in its status.
set -eu

if [ "${1:-}" = --config ]; then
  cat <<YAML
configVersion: v1
kubernetes:
  - name: greetings
    apiVersion: example.hooklet.dev/v1
    kind: Greeting
    namespace: {nameSelector: {matchNames: ["${POD_NAMESPACE:-default}"]}}
    executeHookOnEvent: [Added, Modified]
    # Without the status: what the hook writes there is no event for it.
    jqFilter: '{name: .metadata.name, namespace: .metadata.namespace, spec}'
    keepFullObjectsInMemory: false
YAML
  exit
fi

# The image has jq. Where it is missing, hooklet's own stands in.
command -v jq > /dev/null || jq() { hooklet jq "$@"; }

# From Synchronization those that are there already, from events those that changed.
jq -c '
  .[]
  | (.objects // [.])[].filterResult
  | {
      operation: "MergePatch",
      apiVersion: "example.hooklet.dev/v1",
      kind: "Greeting",
      namespace: .namespace,
      name: .name,
      subresource: "status",
      mergePatch: {status: {message: "Hello, \(.spec.name)!"}},
      # Deleted meanwhile: nothing to do.
      ignoreMissingObject: true
    }
' "$BINDING_CONTEXT_PATH" > "$KUBERNETES_PATCH_PATH"

jq -r '"Greeting \(.name): \(.mergePatch.status.message)"' "$KUBERNETES_PATCH_PATH"
