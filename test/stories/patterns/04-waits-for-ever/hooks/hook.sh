#!/usr/bin/env bash
# The Pod that runs before a backup and the backup are made by one run; killed in between, the next one takes the Pod
# for that of another run and waits (k8up#335). Right: what is missing is made.
set -euo pipefail

if [[ ${1:-} == --config ]]; then
  cat <<'YAML'
configVersion: v1
kubernetes:
  - {name: clusters, group: all, apiVersion: example.dev/v1, kind: Cluster}
  - {name: pods, group: all, apiVersion: v1, kind: Pod, executeHookOnEvent: []}
  - {name: jobs, group: all, apiVersion: batch/v1, kind: Job, executeHookOnEvent: []}
YAML
  exit
fi

jq -c --arg variant "$VARIANT" '
  def make: {operation: "CreateIfNotExists", object: .};
  .[-1].snapshots | map_values(map(.object))
  | (.pods | length == 0) as $lacksPod
  | (.jobs | length == 0) as $lacksJob
  | .clusters[]
  | {name: "db", image: "db"} as $container
  | (
      select($lacksPod)
      | {apiVersion: "v1", kind: "Pod", metadata: {name: "before", namespace: .metadata.namespace}, spec: {containers: [$container]}}
      | make
    ),
    (
      select($lacksJob and ($lacksPod or $variant != "bug"))
      | {
          apiVersion: "batch/v1",
          kind: "Job",
          metadata: {name: "backup", namespace: .metadata.namespace},
          spec: {template: {spec: {restartPolicy: "Never", containers: [$container]}}}
        }
      | make
    )
' "$BINDING_CONTEXT_PATH" > "$KUBERNETES_PATCH_PATH"
