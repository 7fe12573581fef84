#!/usr/bin/env bash
# A probe that fails is taken for a failed member, which loses its volume (the repairs of PR#401 of etcd-operator began
# in that way). Right: a probe that did not work says nothing.
set -euo pipefail

if [[ ${1:-} == --config ]]; then
  cat <<'YAML'
configVersion: v1
kubernetes:
  - {name: clusters, group: all, apiVersion: example.dev/v1, kind: Cluster}
  - {name: volumes, group: all, apiVersion: v1, kind: PersistentVolumeClaim, executeHookOnEvent: []}
YAML
  exit
fi

if ! health=$(etcdctl endpoint health) || [[ -z $health ]]; then
  [[ $VARIANT == bug ]] || exit 1
  health=sick
fi

jq -c --arg health "$health" '
  def remove: {operation: "Delete", apiVersion, kind, namespace: .metadata.namespace, name: .metadata.name};
  .[-1].snapshots | map_values(map(.object))
  | .volumes[]
  | select($health == "sick")
  | remove
' "$BINDING_CONTEXT_PATH" > "$KUBERNETES_PATCH_PATH"
