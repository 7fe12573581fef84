#!/usr/bin/env bash
# The new size is recorded in the status before the volume is resized; killed between the two, nobody resizes it
# (cluster-operator#782 of RabbitMQ, nifikop#49). Right: the volume itself is what counts.
set -euo pipefail

if [[ ${1:-} == --config ]]; then
  cat <<'YAML'
configVersion: v1
kubernetes:
  - {name: clusters, group: all, apiVersion: example.dev/v1, kind: Cluster}
  - {name: volumes, group: all, apiVersion: v1, kind: ConfigMap, nameSelector: {matchNames: [volume]}}
YAML
  exit
fi

jq -c --arg variant "$VARIANT" '
  def merge($o; $s; $p): {operation: "MergePatch", apiVersion: $o.apiVersion, kind: $o.kind, namespace: $o.metadata.namespace, name: $o.metadata.name, mergePatch: $p} + (if $s == "" then {} else {subresource: $s} end);
  .[-1].snapshots | map_values(map(.object))
  | .volumes[0] as $volume
  | .clusters[]
  | .spec.size as $size
  | merge(.; "status"; {status: {size: $size}}) as $record
  | merge($volume; ""; {data: {size: "\($size)Gi"}}) as $resize
  | if $variant == "bug"
    then select(.status.size != $size) | $record, $resize
    else (select($volume.data.size != "\($size)Gi") | $resize), (select(.status.size != $size) | $record)
    end
' "$BINDING_CONTEXT_PATH" > "$KUBERNETES_PATCH_PATH"
