# shellcheck shell=bash disable=SC2034
# How things are: Kubernetes by the snapshots of the run, etcd by asking it now.

# Sets the facts that facts.jq works out, and keeps all it looked at in $work.
observe() {
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  printf -v NOW '%(%s)T' -1
  SETTINGS=$(settings_json)
  touch "$work/statuses" "$work/members" "$work/alarms"
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
      --slurpfile statuses "$work/statuses" \
      --slurpfile members "$work/members" \
      --slurpfile alarms "$work/alarms" \
      --argjson settings "$SETTINGS" \
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
  cat "$work"/*.status | with_hex_ids > "$work/statuses"
}

ask_pod() {
  local -r pod=$1
  local answer error
  if answer=$(etcd_ask "$(endpoint_of "$pod")" endpoint status -w json 2> "$work/$pod.err"); then
    printf '{"pod":"%s","status":%s}\n' "$pod" "$answer"
  else
    error=$(etcd_error "$(< "$work/$pod.err")")
    jq -n -c --arg pod "$pod" --arg error "${error:-no answer}" '{pod: $pod, error: $error}'
  fi
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
