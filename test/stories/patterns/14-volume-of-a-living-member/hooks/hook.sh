#!/usr/bin/env bash
# Scaled down and up again: seen too late, the smaller size removes the volume of the member that is back (cassandra-
# operator#407 of Instaclustr). Right: only a volume that is marked is removed, by its uid.
set -euo pipefail

if [[ ${1:-} == --config ]]; then
  cat <<'YAML'
configVersion: v1
kubernetes:
  - {name: clusters, group: all, apiVersion: example.dev/v1, kind: Cluster}
  - {name: volumes, group: all, apiVersion: v1, kind: PersistentVolumeClaim}
YAML
  exit
fi

jq -c --arg variant "$VARIANT" '
  def remove: {operation: "Delete", apiVersion, kind, namespace: .metadata.namespace, name: .metadata.name};
  .[-1].snapshots | map_values(map(.object))
  | .volumes as $volumes
  | .clusters[]
  | if $variant == "bug"
    then {apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: {name: "data-\(.spec.size)", namespace: "default"}} | remove
    else
      $volumes[]
      | select(.metadata.labels["given-up"] == "yes")
      | remove + {preconditions: {uid: .metadata.uid}}
    end
' "$BINDING_CONTEXT_PATH" > "$KUBERNETES_PATCH_PATH"
