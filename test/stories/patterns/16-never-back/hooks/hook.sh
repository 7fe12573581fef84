#!/usr/bin/env bash
# What is being deleted is left alone until it is gone, and nobody looks when it is (prometheus-operator PR#8309).
# Right: its end is an event, too.
set -euo pipefail

if [[ ${1:-} == --config ]]; then
  if [[ $VARIANT == bug ]]; then events='[]'; else events='[Added, Modified, Deleted]'; fi
  cat <<YAML
configVersion: v1
kubernetes:
  - {name: clusters, group: all, apiVersion: example.dev/v1, kind: Cluster}
  - {name: sets, group: all, apiVersion: apps/v1, kind: StatefulSet, executeHookOnEvent: $events}
YAML
  exit
fi

jq -c '
  def make: {operation: "CreateIfNotExists", object: .};
  .[-1].snapshots | map_values(map(.object))
  | .sets[0] as $set
  | .clusters[]
  | select($set == null)
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
  | make
' "$BINDING_CONTEXT_PATH" > "$KUBERNETES_PATCH_PATH"
