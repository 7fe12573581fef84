#!/bin/sh
# Keeps the ConfigMap "inventory" with the Pods and Services of a namespace, and prints each Pod that fails.
set -eu
. "$(dirname "$0")/../lib/functions.sh"

if [ "${1:-}" = --config ]; then
  here="{nameSelector: {matchNames: [\"$namespace\"]}}"
  cat <<YAML
configVersion: v1
kubernetes:
  # A change in any binding of the group is a run with the snapshots of all three.
  - {name: pods, group: inventory, apiVersion: v1, kind: Pod, namespace: $here,
     jqFilter: .metadata.name, keepFullObjectsInMemory: false}
  - {name: services, group: inventory, apiVersion: v1, kind: Service, namespace: $here,
     jqFilter: .metadata.name, keepFullObjectsInMemory: false}
  - {name: settings, group: inventory, apiVersion: v1, kind: ConfigMap, namespace: $here,
     nameSelector: {matchNames: [inventory-settings]}, jqFilter: .data, keepFullObjectsInMemory: false}
  # Not in the group: its contexts have the Pod that failed.
  - {name: failures, apiVersion: v1, kind: Pod, namespace: $here, executeHookOnEvent: [Added],
     fieldSelector: {matchExpressions: [{field: status.phase, operator: Equals, value: Failed}]},
     jqFilter: .metadata.name, keepFullObjectsInMemory: false}
schedule:
  # Of the same group: what somebody did to the ConfigMap is undone within the hour.
  - {name: hourly, group: inventory, crontab: "@hourly"}
YAML
  exit
fi

# One run may have contexts of both kinds. Adjacent ones of a group are reduced to the last one.
data=$(jq -c 'map(select(.groupName == "inventory")) | last | select(.) | .snapshots | {
  title: (.settings[0].filterResult.title // "Inventory"),
  pods: ([.pods[].filterResult] | join(" ")),
  services: ([.services[].filterResult] | join(" "))
}' "$BINDING_CONTEXT_PATH")
if [ -n "$data" ]; then
  echo "$data" | put_configmap CreateOrUpdate inventory
  echo "inventory written"
fi

jq -r '.[] | select(.binding == "failures") | (.objects // [.])[] | "Pod \(.filterResult) has failed"' "$BINDING_CONTEXT_PATH"
