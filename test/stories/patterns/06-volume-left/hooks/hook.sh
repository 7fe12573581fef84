#!/usr/bin/env bash
# Scaled down first, then the volumes are removed by what is left to scale; killed in between, they stay, and a later
# member starts with old data (etcd#14805). Right: the volumes that there are count.
set -euo pipefail

if [[ ${1:-} == --config ]]; then
  cat <<'YAML'
configVersion: v1
kubernetes:
  - {name: clusters, group: all, apiVersion: example.dev/v1, kind: Cluster}
  - {name: sets, group: all, apiVersion: apps/v1, kind: StatefulSet}
  - {name: volumes, group: all, apiVersion: v1, kind: PersistentVolumeClaim}
YAML
  exit
fi

jq -c --arg variant "$VARIANT" '
  def merge($o; $s; $p): {operation: "MergePatch", apiVersion: $o.apiVersion, kind: $o.kind, namespace: $o.metadata.namespace, name: $o.metadata.name, mergePatch: $p} + (if $s == "" then {} else {subresource: $s} end);
  def remove: {operation: "Delete", apiVersion, kind, namespace: .metadata.namespace, name: .metadata.name};
  .[-1].snapshots | map_values(map(.object))
  | .sets[0] as $set
  | .volumes as $volumes
  | .clusters[]
  | .spec.size as $size
  | select($set != null)
  | (select($set.spec.replicas > $size) | merge($set; ""; {spec: {replicas: $size}})),
    (
      select($variant != "bug" or $set.spec.replicas > $size)
      | $volumes[]
      | select((.metadata.name | ltrimstr("data-") | tonumber) >= $size)
      | remove
    )
' "$BINDING_CONTEXT_PATH" > "$KUBERNETES_PATCH_PATH"
