#!/usr/bin/env bash
# A size that is missing is read as 0, so all members are removed (cluster-operator#2023 of RabbitMQ read a missing
# volume size so). Right: it is told, and nothing is removed.
set -euo pipefail

if [[ ${1:-} == --config ]]; then
  cat <<'YAML'
configVersion: v1
kubernetes:
  - {name: clusters, group: all, apiVersion: example.dev/v1, kind: Cluster, jqFilter: "[.spec, .status]"}
  - {name: members, group: all, apiVersion: v1, kind: ConfigMap, labelSelector: {matchLabels: {member: "yes"}}}
YAML
  exit
fi

jq -c --arg variant "$VARIANT" '
  def make: {operation: "CreateIfNotExists", object: .};
  def remove: {operation: "Delete", apiVersion, kind, namespace: .metadata.namespace, name: .metadata.name};
  def merge($o; $s; $p): {operation: "MergePatch", apiVersion: $o.apiVersion, kind: $o.kind, namespace: $o.metadata.namespace, name: $o.metadata.name, mergePatch: $p} + (if $s == "" then {} else {subresource: $s} end);
  .[-1].snapshots | map_values(map(.object))
  | .members as $members
  | .clusters[]
  | if $variant != "bug" and ((.spec.size | type) != "number" or .spec.size < 0)
    then merge(.; "status"; {status: {problem: "spec.size is missing or negative"}})
    else
      ((.spec.size // 0) as $size
      | (
          range($size)
          | {apiVersion: "v1", kind: "ConfigMap", metadata: {name: "member-\(.)", namespace: "default", labels: {member: "yes"}}}
          | select(.metadata.name as $name | all($members[]; .metadata.name != $name))
          | make
        ),
        ($members[] | select((.metadata.name | ltrimstr("member-") | tonumber) >= $size) | remove)),
      merge(.; "status"; {status: {problem: null}})
    end
' "$BINDING_CONTEXT_PATH" > "$KUBERNETES_PATCH_PATH"
