#!/usr/bin/env bash
# A lock is taken before a backup and given back after it; killed in between, it stays, and no backup is ever made again
# (volsync#1415). Right: whose lock it is is in it.
set -euo pipefail

if [[ ${1:-} == --config ]]; then
  cat <<'YAML'
configVersion: v1
kubernetes:
  - {name: clusters, group: all, apiVersion: example.dev/v1, kind: Cluster}
  - {name: locks, group: all, apiVersion: v1, kind: ConfigMap, executeHookOnEvent: [], nameSelector: {matchNames: [lock]}}
  - {name: jobs, group: all, apiVersion: batch/v1, kind: Job, executeHookOnEvent: []}
YAML
  exit
fi

jq -c --arg variant "$VARIANT" '
  def make: {operation: "CreateIfNotExists", object: .};
  def remove: {operation: "Delete", apiVersion, kind, namespace: .metadata.namespace, name: .metadata.name};
  .[-1].snapshots | map_values(map(.object))
  | .locks[0] as $lock
  | (.jobs | length == 0) as $lacksJob
  | .clusters[]
  | select($lock == null or ($variant != "bug" and $lock.data.holder == .metadata.name))
  | {apiVersion: "v1", kind: "ConfigMap", metadata: {name: "lock", namespace: .metadata.namespace}, data: {holder: .metadata.name}} as $mine
  | (select($lock == null and $lacksJob) | $mine | make),
    (
      select($lacksJob)
      | {
          apiVersion: "batch/v1",
          kind: "Job",
          metadata: {name: "backup", namespace: .metadata.namespace},
          spec: {template: {spec: {restartPolicy: "Never", containers: [{name: "db", image: "db"}]}}}
        }
      | make
    ),
    (select($lock != null or $lacksJob) | $mine | remove)
' "$BINDING_CONTEXT_PATH" > "$KUBERNETES_PATCH_PATH"
