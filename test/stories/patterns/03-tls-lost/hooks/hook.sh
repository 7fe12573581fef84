#!/usr/bin/env bash
# TLS is set only by the run that also makes the certificate; killed in between, the next one takes the cluster for an
# old one without TLS (K8SPXC-896). Right: the spec says it.
set -euo pipefail

if [[ ${1:-} == --config ]]; then
  cat <<'YAML'
configVersion: v1
kubernetes:
  - {name: clusters, group: all, apiVersion: example.dev/v1, kind: Cluster}
  - {name: secrets, group: all, apiVersion: v1, kind: Secret, executeHookOnEvent: [], nameSelector: {matchNames: [db-tls]}}
  - {name: sets, group: all, apiVersion: apps/v1, kind: StatefulSet, executeHookOnEvent: []}
YAML
  exit
fi

jq -c --arg variant "$VARIANT" '
  def make: {operation: "CreateIfNotExists", object: .};
  .[-1].snapshots | map_values(map(.object))
  | (.secrets | length == 0) as $isNew
  | (.sets | length == 0) as $lacksSet
  | .clusters[]
  | (if $variant == "bug" then .spec.tls and $isNew else .spec.tls end) as $tls
  | (
      select($isNew)
      | {apiVersion: "v1", kind: "Secret", metadata: {name: "db-tls", namespace: .metadata.namespace}, stringData: {key: "secret"}}
      | make
    ),
    (
      select($lacksSet)
      | {
      apiVersion: "apps/v1",
      kind: "StatefulSet",
      metadata: {name: .metadata.name, namespace: .metadata.namespace},
      spec: {
        replicas: (.spec.size // 1),
        serviceName: .metadata.name,
        selector: {matchLabels: {app: .metadata.name}},
        template: {metadata: {labels: {app: .metadata.name}}, spec: {containers: [{name: "db", image: (.spec.image // "db"), args: (if $tls then ["--tls"] else [] end)}]}}
      }
    }
      | make
    )
' "$BINDING_CONTEXT_PATH" > "$KUBERNETES_PATCH_PATH"
