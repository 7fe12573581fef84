#!/bin/sh
# Renders the labelled Services of a namespace and a settings ConfigMap into one ConfigMap.
set -eu

namespace=${POD_NAMESPACE:-default}

if [ "${1:-}" = --config ]; then
  cat <<YAML
configVersion: v1
kubernetes:
  # Bindings of one group have one purpose: a change of any of them is a run with the snapshots of all.
  - name: services
    group: upstreams
    apiVersion: v1
    kind: Service
    namespace: {nameSelector: {matchNames: ["$namespace"]}}
    labelSelector: {matchLabels: {example.hooklet.dev/upstream: "true"}}
    jqFilter: '{name: .metadata.name, port: .spec.ports[0].port}'
    keepFullObjectsInMemory: false
  - name: settings
    group: upstreams
    apiVersion: v1
    kind: ConfigMap
    namespace: {nameSelector: {matchNames: ["$namespace"]}}
    nameSelector: {matchNames: [upstream-settings]}
    jqFilter: .data
    keepFullObjectsInMemory: false
YAML
  exit
fi

# The image has jq. Where it is missing, hooklet's own stands in.
command -v jq > /dev/null || jq() { hooklet jq "$@"; }

# Of events of a group that follow one another only the last is left, so a burst is one run.
# Other bindings might share a run with it: the context is chosen by its group.
jq -c --arg namespace "$namespace" '
  [.[] | select(.groupName == "upstreams")] | last
  | .snapshots as {$services, $settings}
  | ($settings[0].filterResult.timeout // "5s") as $timeout
  | {
      operation: "CreateOrUpdate",
      object: {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: {name: "upstreams", namespace: $namespace},
        data: {
          "upstreams.conf": ([$services[].filterResult | "\(.name):\(.port) timeout=\($timeout)\n"] | add // "")
        }
      }
    }
' "$BINDING_CONTEXT_PATH" > "$KUBERNETES_PATCH_PATH"

jq -r '"upstreams.conf:\n\(.object.data["upstreams.conf"])"' "$KUBERNETES_PATCH_PATH"
