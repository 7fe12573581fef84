#!/usr/bin/env bash
# The StatefulSet is compared with what the operator wrote, and the API server has added defaults since, so each run
# deletes and creates it (prometheus-operator#2950). Right: what was written is compared.
set -euo pipefail

if [[ ${1:-} == --config ]]; then
  cat <<'YAML'
configVersion: v1
kubernetes:
  - {name: clusters, group: all, apiVersion: example.dev/v1, kind: Cluster}
  - {name: sets, group: all, apiVersion: apps/v1, kind: StatefulSet, executeHookOnEvent: []}
YAML
  exit
fi

jq -c --arg variant "$VARIANT" '
  def make: {operation: "CreateIfNotExists", object: .};
  def remove: {operation: "Delete", apiVersion, kind, namespace: .metadata.namespace, name: .metadata.name};
  .[-1].snapshots | map_values(map(.object))
  | .sets[0] as $set
  | .clusters[]
  | {
      apiVersion: "apps/v1",
      kind: "StatefulSet",
      metadata: {name: .metadata.name, namespace: .metadata.namespace},
      spec: {
        replicas: (.spec.size // 1),
        serviceName: .metadata.name,
        selector: {matchLabels: {app: .metadata.name}},
        template: {metadata: {labels: {app: .metadata.name}}, spec: {containers: [{name: "db", image: (.spec.image // "db")}]}}
      }
    } as $wanted
  | (if $variant == "bug" then $set.spec == $wanted.spec else $set.spec.replicas == $wanted.spec.replicas end) as $isSame
  | select($isSame | not)
  | (select($set != null) | $wanted | remove), ($wanted | make)
' "$BINDING_CONTEXT_PATH" > "$KUBERNETES_PATCH_PATH"
