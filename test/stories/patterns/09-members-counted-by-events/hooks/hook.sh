#!/usr/bin/env bash
# Each Pod that comes or goes changes the number of replicas, so one event missed or told twice is a member more or less
# for ever (etcd-operator#193). Right: the spec says how many there are.
set -euo pipefail

if [[ ${1:-} == --config ]]; then
  cat <<'YAML'
configVersion: v1
kubernetes:
  - {name: pods, apiVersion: v1, kind: Pod, labelSelector: {matchLabels: {app: db}}, executeHookOnSynchronization: false}
YAML
  exit
fi

jq -c --arg variant "$VARIANT" '
  .[]
  | {Added: "+", Deleted: "-"}[.watchEvent] as $sign
  | select($variant == "bug" and $sign != null)
  | {
      operation: "JQPatch",
      apiVersion: "apps/v1",
      kind: "StatefulSet",
      namespace: "default",
      name: "db",
      jqFilter: ".spec.replicas = .spec.replicas \($sign) 1"
    }
' "$BINDING_CONTEXT_PATH" > "$KUBERNETES_PATCH_PATH"
