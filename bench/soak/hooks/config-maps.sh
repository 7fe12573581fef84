#!/bin/bash
# Records the contexts of each run in a file named after the time of the run.
set -euo pipefail
if [[ "${1:-}" == --config ]]; then
  cat <<'CONFIG'
configVersion: v1
kubernetes:
  - name: config-maps
    apiVersion: v1
    kind: ConfigMap
    queue: config-maps
    namespace:
      nameSelector:
        matchNames: [soak-0, soak-1, soak-2]
CONFIG
  exit
fi
record="$SOAK_OUT/config-maps.sh/$SOAK_GENERATION-$EPOCHREALTIME"
contexts=$(<"$BINDING_CONTEXT_PATH")
printf '%s' "$contexts" > "$record.part"
mv "$record.part" "$record.json"
