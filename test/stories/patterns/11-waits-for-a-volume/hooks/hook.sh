#!/usr/bin/env bash
# A Job whose volume is deleted is removed when that is seen; a deletion that nobody saw leaves it Pending for ever
# (k8up#86). Right: a Job without its volume is removed.
set -euo pipefail

if [[ ${1:-} == --config ]]; then
  if [[ $VARIANT == bug ]]; then
    cat <<'YAML'
configVersion: v1
kubernetes:
  - {name: volumes, apiVersion: v1, kind: PersistentVolumeClaim, executeHookOnEvent: [Deleted]}
YAML
  else
    cat <<'YAML'
configVersion: v1
kubernetes:
  - {name: volumes, group: all, apiVersion: v1, kind: PersistentVolumeClaim}
  - {name: jobs, group: all, apiVersion: batch/v1, kind: Job}
YAML
  fi
  exit
fi

jq -c --arg variant "$VARIANT" '
  def remove($name): {operation: "Delete", apiVersion: "batch/v1", kind: "Job", namespace: "default", name: $name};
  if $variant == "bug"
  then .[] | select(.type == "Event") | remove("backup-\(.object.metadata.name)")
  else
    .[-1].snapshots
    | [.volumes[].object.metadata.name] as $volumes
    | .jobs[].object.metadata.name
    | select(ltrimstr("backup-") as $volume | all($volumes[]; . != $volume))
    | remove(.)
  end
' "$BINDING_CONTEXT_PATH" > "$KUBERNETES_PATCH_PATH"
