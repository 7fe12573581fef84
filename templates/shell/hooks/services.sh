#!/usr/bin/env bash
# Keeps a ConfigMap "services" with the names of all Services of the namespace.
source "${HOOKLET_SHELL_LIB:-/shell_lib.sh}"

namespace=${POD_NAMESPACE:-default}

function __config__() {
  cat << YAML
configVersion: v1
kubernetes:
  - name: services
    apiVersion: v1
    kind: Service
    namespace: {nameSelector: {matchNames: [$namespace]}}
    # Only this is kept of each Service, and only a change of it runs the hook.
    jqFilter: .metadata.name
    keepFullObjectsInMemory: false
    # Of several events that wait one run is made, which sees them all in its snapshot.
    group: services
YAML
}

# The snapshot has all Services, so it does not matter which of them changed, or how often.
function __on_group::services() {
  local names
  names=$(context::jq -c '[.snapshots.services[].filterResult] | sort')
  jq -n --arg namespace "$namespace" --argjson names "$names" '{
    operation: "Apply",
    object: {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: {name: "services", $namespace},
      data: {count: ($names | length | tostring), names: ($names | join("\n"))}
    }
  }' >> "$KUBERNETES_PATCH_PATH"
  echo "services: $names"
}

function __main__() {
  __on_group::services
}

hook::run "$@"
