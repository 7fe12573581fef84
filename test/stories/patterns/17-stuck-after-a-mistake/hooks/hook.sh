#!/usr/bin/env bash
# Before anything else the hook waits until the cluster is ready, which it cannot be before the mistake in it is
# corrected (etcd-druid#818, cass-operator#334, redpanda#1491). Right: what the spec says is made in any case.
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
  | select($variant != "bug" or .status.phase != "Progressing")
  | (if .spec.image | test("^[a-z0-9:./-]+$") then "Ready" else "Progressing" end) as $phase
  | merge(.; "status"; {status: {phase: $phase, image: .spec.image}})
' "$BINDING_CONTEXT_PATH" > "$KUBERNETES_PATCH_PATH"
