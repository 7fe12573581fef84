#!/usr/bin/env bash
# Each look at the config restarts the Pod, so a second look restarts the new Pod as well (prometheus-operator
# PR#4504 deleted a StatefulSet in a loop in that way). Right: the Pod has the config it was made with.
set -euo pipefail

if [[ ${1:-} == --config ]]; then
  cat <<'YAML'
configVersion: v1
kubernetes:
  - {name: configs, group: all, apiVersion: v1, kind: ConfigMap, nameSelector: {matchNames: [config]}}
  - {name: pods, group: all, apiVersion: v1, kind: Pod, labelSelector: {matchLabels: {app: db}}, executeHookOnEvent: []}
YAML
  exit
fi

if [[ $VARIANT == bug ]]; then keep=false; else keep=true; fi

jq -c --argjson keep "$keep" '
  .[-1].snapshots
  | map_values(map(.object))
  | .pods[0] as $pod
  | .configs[0]
  | {
      apiVersion: "v1",
      kind: "Pod",
      metadata: {name: "db-0", namespace: .metadata.namespace, labels: {app: "db"}, annotations: {version: .data.version}},
      spec: {containers: [{name: "db", image: "db"}]}
    } as $wanted
  | select(($keep and $pod.metadata.annotations.version == $wanted.metadata.annotations.version) | not)
  | {operation: "Delete", apiVersion: "v1", kind: "Pod", namespace: "default", name: "db-0"},
    {operation: "CreateOrUpdate", object: $wanted}
' "$BINDING_CONTEXT_PATH" > "$KUBERNETES_PATCH_PATH"
