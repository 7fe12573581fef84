# shellcheck shell=bash disable=SC2034
# How things are: Kubernetes by the snapshots of the run, etcd by asking it now.

# Sets the facts that facts.jq works out, and keeps all it looked at in $work.
observe() {
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  NOW=$(date +%s)
  RECORD=''
  STS_UID=''
  jq '[.[] | .snapshots // empty] | last | map_values(map(.filterResult | select(. != null)))' \
    "$BINDING_CONTEXT_PATH" > "$work/snapshots.json"
  facts "$lib/pods.jq"
  [[ -n $STS_UID ]] || return 0
  ask_pods
  facts "$lib/healthy.jq"
  ask_cluster
  facts "$lib/facts.jq"
}

# Turns the output of a jq program, an object of texts, into variables.
facts() {
  local assignments
  assignments=$(
    jq -n -r -f "$1" \
      --slurpfile snapshots "$work/snapshots.json" \
      --slurpfile statuses <(cat "$work"/*.status 2> /dev/null) \
      --slurpfile members <(cat "$work/members" 2> /dev/null) \
      --slurpfile alarms <(cat "$work/alarms" 2> /dev/null) \
      --argjson settings "$(settings_json)" \
      --argjson now "$NOW"
  )
  eval "$assignments"
}

settings_json() {
  jq -n -c --arg domain "$DOMAIN" --arg namespace "$NAMESPACE" --arg statefulset "$STATEFULSET" --arg claim "$DATA_CLAIM" \
    --arg client "$CLIENT_SCHEME" --argjson clientPort "$CLIENT_PORT" --arg peer "$PEER_SCHEME" \
    --argjson peerPort "$PEER_PORT" --argjson after "$REPAIR_AFTER" '$ARGS.named'
}

# Each Pod by itself and all at once: one that is cut off must not keep the others waiting.
ask_pods() {
  local pod
  for pod in $PODS; do
    ask_pod "$pod" > "$work/$pod.status" &
  done
  wait
}

ask_pod() {
  local -r pod=$1
  local answer='null' error=''
  if ! answer=$(etcd_ask_json "$(endpoint_of "$pod")" endpoint status 2> "$work/$pod.err"); then
    error=$(etcd_error "$(< "$work/$pod.err")")
    error=${error:-no answer}
  fi
  jq -n -c --arg pod "$pod" --argjson answer "${answer:-null}" --arg error "$error" \
    '{pod: $pod, status: $answer[0].Status, error: $error}'
}

endpoint_of() {
  echo "$CLIENT_SCHEME://$1.$POD_DOMAIN:$CLIENT_PORT"
}

# The list of members is linearizable: who can give it has quorum behind it.
ask_cluster() {
  [[ -n $ENDPOINTS ]] || return 0
  if ! etcd_ask_json "$ENDPOINTS" member list > "$work/members" 2> "$work/members.err"; then
    echo "no list of members: $(etcd_error "$(< "$work/members.err")")" >&2
    : > "$work/members"
    return 0
  fi
  etcd_ask_json "$ENDPOINTS" alarm list > "$work/alarms" 2> "$work/alarms.err" || : > "$work/members"
}
