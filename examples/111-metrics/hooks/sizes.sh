#!/bin/sh
# Tells Prometheus how large the ConfigMaps of a namespace are: a gauge for each, a counter and a histogram.
set -eu

if [ "${1:-}" = --config ]; then
  cat <<YAML
configVersion: v1
kubernetes:
  - name: configmaps
    apiVersion: v1
    kind: ConfigMap
    namespace: {nameSelector: {matchNames: ["${POD_NAMESPACE:-default}"]}}
    jqFilter: '{name: .metadata.name, bytes: ([.data // {} | .[] | utf8bytelength] | add // 0)}'
    keepFullObjectsInMemory: false
    includeSnapshotsFrom: [configmaps]
YAML
  exit
fi

# The image has jq; an image without it uses that of hooklet.
command -v jq > /dev/null || jq() { hooklet jq "$@"; }

jq -c '
  # A group is replaced as a whole: the gauge of a ConfigMap that is gone goes with it.
  (
    {group: "sizes", action: "expire"},
    (
      last.snapshots.configmaps[].filterResult
      | {group: "sizes", name: "example_configmap_bytes", action: "set", value: .bytes, labels: {configmap: .name}}
    )
  ),
  # Without a group, counters and histograms add up over the runs.
  (
    .[]
    | select(.type == "Event")
    | {name: "example_configmap_events_total", action: "add", value: 1, labels: {event: .watchEvent}},
      {
        name: "example_configmap_written_bytes",
        action: "observe",
        value: .filterResult.bytes,
        buckets: [100, 1000, 10000, 100000, 1000000]
      }
  )
' "$BINDING_CONTEXT_PATH" > "$METRICS_PATH"

jq -r 'last.snapshots.configmaps | "measured \(length) ConfigMaps"' "$BINDING_CONTEXT_PATH"
