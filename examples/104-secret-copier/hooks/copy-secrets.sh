#!/bin/sh
# Keeps labelled Secrets of one namespace copied into all others: made, updated, and deleted with the original.
set -eu

home=${POD_NAMESPACE:-default}

if [ "${1:-}" = --config ]; then
  cat <<YAML
configVersion: v1
kubernetes:
  # One group: whatever happens to any of them, the hook runs once and looks at all three snapshots.
  - name: originals
    group: copies
    queue: secret-copier
    apiVersion: v1
    kind: Secret
    namespace: {nameSelector: {matchNames: ["$home"]}}
    labelSelector: {matchLabels: {example.hooklet.dev/copy: "true"}}
    jqFilter: '{name: .metadata.name, type, data}'
    keepFullObjectsInMemory: false
  - name: copies
    group: copies
    queue: secret-copier
    apiVersion: v1
    kind: Secret
    labelSelector: {matchLabels: {example.hooklet.dev/copied-from: "$home"}}
    jqFilter: '{namespace: .metadata.namespace, name: .metadata.name, type, data}'
    keepFullObjectsInMemory: false
  - name: namespaces
    group: copies
    queue: secret-copier
    apiVersion: v1
    kind: Namespace
    jqFilter: '{name: .metadata.name, phase: .status.phase}'
    keepFullObjectsInMemory: false
YAML
  exit
fi

# The image has jq. Where it is missing, hooklet's own stands in.
command -v jq > /dev/null || jq() { hooklet jq "$@"; }

# Not told what changed, but how things are: what is wanted, less what is there, is what is left to do.
# The contexts of a run all hold the same snapshots, so the last one is as good as any.
# shellcheck disable=SC2016
jq -c --arg home "$home" '
  .[-1].snapshots
  | map_values(map(.filterResult))
  | . as {$originals, $copies, $namespaces}
  | ([$namespaces[] | select(.phase == "Active") | .name | select(startswith("kube-") | not)] - [$home]) as $targets
  | [$originals[] as $original | $targets[] | $original + {namespace: .}] as $wanted
  | (
      # What nobody wants any more; the type of a Secret cannot be changed, so such a copy goes too.
      ($copies - $wanted)[]
      | . as {$namespace, $name, $type}
      | select(any($wanted[]; .namespace == $namespace and .name == $name and .type == $type) | not)
      | {operation: "DeleteInBackground", apiVersion: "v1", kind: "Secret", namespace: .namespace, name: .name}
    ),
    (
      ($wanted - $copies)[]
      | . as {$namespace, $name, $type}
      | {
          # Only a copy is replaced: a Secret of that name that is none belongs to somebody.
          operation: (
            if any($copies[]; .namespace == $namespace and .name == $name and .type == $type)
            then "CreateOrUpdate"
            else "CreateIfNotExists"
            end
          ),
          object: {
            apiVersion: "v1",
            kind: "Secret",
            metadata: {
              name: .name,
              namespace: .namespace,
              labels: {"example.hooklet.dev/copied-from": $home}
            },
            type: .type,
            data: .data
          }
        }
    )
' "$BINDING_CONTEXT_PATH" > "$KUBERNETES_PATCH_PATH"

jq -s -r '
  if length == 0
  then "all copies are as they should be"
  else group_by(.operation)[] | "\(.[0].operation): \(map("\(.namespace // .object.metadata.namespace)/\(.name // .object.metadata.name)") | join(" "))"
  end
' "$KUBERNETES_PATCH_PATH"
