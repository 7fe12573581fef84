#!/usr/bin/env bash
# Copies are removed when their original is seen to be deleted; a deletion that nobody saw leaves them for ever (7 of
# the bugs that Sieve found). Right: copies without an original are removed.
set -euo pipefail

if [[ ${1:-} == --config ]]; then
  if [[ $VARIANT == bug ]]; then
    cat <<'YAML'
configVersion: v1
kubernetes:
  - {name: originals, apiVersion: v1, kind: ConfigMap, labelSelector: {matchLabels: {copy: "yes"}}}
YAML
  else
    cat <<'YAML'
configVersion: v1
kubernetes:
  - {name: originals, group: all, apiVersion: v1, kind: ConfigMap, labelSelector: {matchLabels: {copy: "yes"}}}
  - {name: copies, group: all, apiVersion: v1, kind: ConfigMap, labelSelector: {matchLabels: {copied: "yes"}}}
YAML
  fi
  exit
fi

if [[ $VARIANT == bug ]]; then
  jq -c '
    .[]
    | select(.type == "Event")
    | .watchEvent as $event
    | .object
    | {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: {name: "copy-of-\(.metadata.name)", namespace: .metadata.namespace, labels: {copied: "yes"}},
        data
      }
    | if $event == "Deleted"
      then {operation: "Delete", apiVersion, kind, namespace: .metadata.namespace, name: .metadata.name}
      else {operation: "CreateOrUpdate", object: .}
      end
  ' "$BINDING_CONTEXT_PATH" > "$KUBERNETES_PATCH_PATH"
  exit
fi

jq -c '
  def make: {operation: "CreateIfNotExists", object: .};
  def remove: {operation: "Delete", apiVersion, kind, namespace: .metadata.namespace, name: .metadata.name};
  .[-1].snapshots | map_values(map(.object))
  | .originals as $originals
  | .copies as $copies
  | (
      $originals[]
      | {apiVersion: "v1", kind: "ConfigMap", metadata: {name: "copy-of-\(.metadata.name)", namespace: .metadata.namespace, labels: {copied: "yes"}}, data}
      | make
    ),
    ($copies[] | select(.metadata.name as $name | all($originals[]; "copy-of-\(.metadata.name)" != $name)) | remove)
' "$BINDING_CONTEXT_PATH" > "$KUBERNETES_PATCH_PATH"
