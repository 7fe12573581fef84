#!/usr/bin/env bash
source "${HOOKLET_SHELL_LIB:-/shell_lib.sh}"

function __config__() {
  cat <<'YAML'
configVersion: v1
reconcile:
  - name: plans
    apiVersion: v1
    kind: ConfigMap
    nameSelector: {matchNames: [plan]}
    watches:
      - {name: made, apiVersion: v1, kind: Secret, for: '.metadata.labels.plan'}
YAML
}

# One step in a run: the state says which one is under way, the cluster whether it is done.
function __on_reconcile::plans() {
  local -r steps=$(context::get object.data.steps) made=$(context::get 'watched.made | length')
  local -r doing=$(context::get 'state.doing // 0')
  if ((steps > 5)); then
    result::refuse TooMany "data.steps is $steps, expected at most 5"
  elif ((doing > made)); then
    jq -n --arg name "step-$doing" '{operation: "CreateIfNotExists", object: {apiVersion: "v1", kind: "Secret",
      metadata: {name: $name, namespace: "default", labels: {plan: "plan"}}}}' > "$KUBERNETES_PATCH_PATH"
  elif ((made < steps)); then
    result::event_once "step $((made + 1))" Normal Stepped "step $((made + 1))"
    result::state "{\"doing\": $((made + 1))}"
  fi
}

hook::run "$@"
