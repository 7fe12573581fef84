#!/usr/bin/env bash
# A cluster that is going takes its volume along by name; when it is seen too late, another one of that name has begun,
# and loses its volume (cassandra-operator#402 of Instaclustr, zookeeper-operator#312). Right: the volume belongs to the
# uid of the cluster.
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
  | select(.metadata.deletionTimestamp != null)
  | .metadata as $cluster
  | if $variant == "bug"
    then {apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: {name: "data-0", namespace: $cluster.namespace}} | remove
    else $volumes[] | select(.metadata.annotations.cluster == $cluster.uid) | remove + {preconditions: {uid: .metadata.uid}}
    end
' "$BINDING_CONTEXT_PATH" > "$KUBERNETES_PATCH_PATH"
