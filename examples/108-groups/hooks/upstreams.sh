#!/bin/sh
# Renders the labeled Services of a namespace and a settings ConfigMap into one ConfigMap.
set -eu

namespace=${POD_NAMESPACE:-default}

if [ "${1:-}" = --config ]; then
  cat <<YAML
configVersion: v1
kubernetes:
  # A change in any binding of the group is a run with the snapshots of all.
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

# The image has jq; an image without it uses that of hooklet.
command -v jq > /dev/null || jq() { hooklet jq "$@"; }

# Adjacent contexts of a group are reduced to the last one, so a burst is one run.
# The run may also have contexts of other bindings: select those of the group.
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
