#!/usr/bin/env bash
# No members in the answer are taken for no cluster, and a second one is founded (etcd-druid#452, charts#6251 of
# Bitnami). Right: an answer without members is none.
set -euo pipefail

if [[ ${1:-} == --config ]]; then
  cat <<'YAML'
configVersion: v1
kubernetes:
  - {name: clusters, group: all, apiVersion: example.dev/v1, kind: Cluster}
YAML
  exit
fi

members=$(etcdctl member list)
[[ -n $members || $VARIANT == bug ]] || exit 1

jq -c --arg members "$members" '
  def make: {operation: "CreateIfNotExists", object: .};
  .[-1].snapshots | map_values(map(.object))
  | .clusters[]
  | select($members == "")
  | {
          apiVersion: "batch/v1",
          kind: "Job",
          metadata: {name: "found-\(.metadata.name)", namespace: .metadata.namespace},
          spec: {template: {spec: {restartPolicy: "Never", containers: [{name: "db", image: "db"}]}}}
        }
  | make
' "$BINDING_CONTEXT_PATH" > "$KUBERNETES_PATCH_PATH"
