#!/usr/bin/env bash
# For another label the StatefulSet is deleted and made again; an invalid label is refused only then (clickhouse-
# operator#1420). Right: nothing is deleted that cannot be made again.
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

label=$(jq -r '.[-1].snapshots.clusters[0].object.spec.label' "$BINDING_CONTEXT_PATH")
if [[ $label =~ ^[a-z0-9]([-a-z0-9]*[a-z0-9])?$ ]]; then isValid=true; else isValid=false; fi
$isValid || [[ $VARIANT == bug ]] || echo "$label is no label"

jq -c --arg variant "$VARIANT" --argjson isValid "$isValid" '
  def make: {operation: "CreateIfNotExists", object: .};
  def remove: {operation: "Delete", apiVersion, kind, namespace: .metadata.namespace, name: .metadata.name};
  .[-1].snapshots | map_values(map(.object))
  | .sets[0] as $set
  | .clusters[]
  | .spec.label as $wantedLabel
  | select($variant == "bug" or $isValid)
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
    }
  | .spec.selector.matchLabels.app = $wantedLabel
  | .spec.template.metadata.labels.app = $wantedLabel
  | select($set.spec.selector.matchLabels.app != $wantedLabel)
  | (select($set != null) | remove), make
' "$BINDING_CONTEXT_PATH" > "$KUBERNETES_PATCH_PATH"
