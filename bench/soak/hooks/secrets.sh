#!/bin/bash
# Records the filter results of Secrets in a file named after the time of the run.
set -euo pipefail
if [[ "${1:-}" == --config ]]; then
  cat <<'CONFIG'
configVersion: v1
kubernetes:
  - name: secrets
    apiVersion: v1
    kind: Secret
    queue: secrets
    namespace:
      labelSelector:
        matchLabels: {soak: "true"}
    jqFilter: "{metadata: {uid: .metadata.uid, resourceVersion: .metadata.resourceVersion}}"
    keepFullObjectsInMemory: false
CONFIG
  exit
fi
record="$SOAK_OUT/secrets.sh/$SOAK_GENERATION-$EPOCHREALTIME"
contexts=$(<"$BINDING_CONTEXT_PATH")
printf '%s' "$contexts" > "$record.part"
mv "$record.part" "$record.json"
