#!/bin/sh
# Copies labeled Secrets of one namespace into all others; copies are updated and deleted with the original.
set -eu

home=${POD_NAMESPACE:-default}

if [ "${1:-}" = --config ]; then
  cat <<YAML
configVersion: v1
kubernetes:
  # One group: a change in any of them runs the hook once, with all three snapshots.
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

# The image has jq; an image without it uses that of hooklet.
command -v jq > /dev/null || jq() { hooklet jq "$@"; }

# Compares the desired copies with the existing ones, whatever changed.
# All contexts of a run have the same snapshots: use those of the last one.
# shellcheck disable=SC2016
jq -c --arg home "$home" '
  .[-1].snapshots
  | map_values(map(.filterResult))
  | . as {$originals, $copies, $namespaces}
  | ([$namespaces[] | select(.phase == "Active") | .name | select(startswith("kube-") | not)] - [$home]) as $targets
  | [$originals[] as $original | $targets[] | $original + {namespace: .}] as $wanted
  | (
      # Copies that are not wanted any more, and copies with another type, since the type of a Secret cannot be changed.
      ($copies - $wanted)[]
      | . as {$namespace, $name, $type}
      | select(any($wanted[]; .namespace == $namespace and .name == $name and .type == $type) | not)
      | {operation: "DeleteInBackground", apiVersion: "v1", kind: "Secret", namespace: .namespace, name: .name}
    ),
    (
      ($wanted - $copies)[]
      | . as {$namespace, $name, $type}
      | {
          # Only a copy is replaced: another Secret of that name belongs to somebody else.
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
