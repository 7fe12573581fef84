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
    # Without the status, so that the hook's own writes are no events.
    jqFilter: '{name: .metadata.name, namespace: .metadata.namespace, spec}'
    keepFullObjectsInMemory: false
YAML
  exit
fi

# The image has jq; an image without it uses that of hooklet.
command -v jq > /dev/null || jq() { hooklet jq "$@"; }

# A Synchronization has the existing Greetings, an event the one that changed.
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
      # No error if it was deleted meanwhile.
      ignoreMissingObject: true
    }
' "$BINDING_CONTEXT_PATH" > "$KUBERNETES_PATCH_PATH"

jq -r '"Greeting \(.name): \(.mergePatch.status.message)"' "$KUBERNETES_PATCH_PATH"
