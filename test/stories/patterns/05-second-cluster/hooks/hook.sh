#!/usr/bin/env bash
# The Job that founds a cluster has a generated name, and the status says later that it was made; killed in between, a
# second one founds another cluster (etcd-druid#452). Right: the name says what it is for.
set -euo pipefail

if [[ ${1:-} == --config ]]; then
  cat <<'YAML'
configVersion: v1
kubernetes:
  - {name: clusters, group: all, apiVersion: example.dev/v1, kind: Cluster, jqFilter: "[.spec, .status]"}
YAML
  exit
fi

jq -c --arg variant "$VARIANT" '
  def merge($o; $s; $p): {operation: "MergePatch", apiVersion: $o.apiVersion, kind: $o.kind, namespace: $o.metadata.namespace, name: $o.metadata.name, mergePatch: $p} + (if $s == "" then {} else {subresource: $s} end);
  .[-1].snapshots | map_values(map(.object))
  | .clusters[]
  | select(.status.founded != true)
  | {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: {namespace: .metadata.namespace},
      spec: {template: {spec: {restartPolicy: "Never", containers: [{name: "db", image: "db"}]}}}
    } as $job
  | (
      if $variant == "bug"
      then {operation: "Create", object: ($job | .metadata.generateName = "found-")}
      else {operation: "CreateIfNotExists", object: ($job | .metadata.name = "found")}
      end
    ),
    merge(.; "status"; {status: {founded: true}})
' "$BINDING_CONTEXT_PATH" > "$KUBERNETES_PATCH_PATH"
