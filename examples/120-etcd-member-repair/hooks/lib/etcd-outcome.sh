# shellcheck shell=bash
# What a run leaves behind: the state on the StatefulSet, Events, metrics. hooklet applies it when the hook has exited.

TOLD=''
REFUSED=''
NEWS='[]'

# Refuses to go on, and says why and what to do: in the log, as an Event when it is news, and as a metric as long as it
# lasts. Always fails, so that the step that called it ends.
refuse() {
  local -r reason=$1 message=$2
  REFUSED=$reason
  TOLD=$reason
  echo "refused, $reason: $message"
  [[ $TOLD == "$OLD_TOLD" ]] || event Warning "$reason" "$message"
  return 1
}

# It is too early to tell, so what was refused before may not be over. Always fails.
wait_for_news() {
  TOLD=$OLD_TOLD
  echo "$1"
  return 1
}

# An Event on the StatefulSet. It goes into the state, and the run after tells it and takes it out: so it is told exactly when
# the state was written, also when somebody is killed in between.
event() {
  local about="$OLD_STATE $((NOW / 10))" one
  [[ -z ${RECORD_ID:-} ]] || about="$RECORD_STARTED $RECORD_ID"
  one=$(news "$1" "$2" "$3" "$about")
  NEWS=$(jq -c --argjson one "$one" '. + [$one]' <<< "$NEWS")
}

# Its name follows from the repair it is about, or from what was known before and about when, so that it is made once however
# often it is told.
news() {
  local -r type=$1 reason=$2 message=$3 about=$4
  local name
  name=$STATEFULSET.$(sha256sum <<< "$STS_UID $reason ${TARGET:-} $about" | cut -c 1-16)
  jq -n -c --arg name "$name" --arg type "$type" --arg reason "$reason" --arg message "${message:0:1000}" \
    --arg at "$(iso "$NOW")" '$ARGS.named'
}

# Has the Events made.
tell() {
  jq -c --arg namespace "$NAMESPACE" --arg statefulset "$STATEFULSET" --arg uid "$STS_UID" '.[] | {
    operation: "CreateIfNotExists",
    object: {
      apiVersion: "v1",
      kind: "Event",
      metadata: {name: .name, namespace: $namespace},
      involvedObject: {apiVersion: "apps/v1", kind: "StatefulSet", namespace: $namespace, name: $statefulset, uid: $uid},
      type: .type, reason: .reason, message: .message, source: {component: "etcd-repair"},
      firstTimestamp: .at, lastTimestamp: .at, count: 1
    }
  }' <<< "$1" >> "$KUBERNETES_PATCH_PATH"
}

# Keeps how far the repair is; the change brings the next run.
set_step() {
  RECORD=$(jq -c --arg step "$1" --arg at "$(iso "$NOW")" '. + {step: $step, stepAt: $at}' <<< "$RECORD")
}

# The state is written only if it is another one, and only if it is still what was read: of two runners one loses, and
# looks again. Nor is it written over a pause that has been set meanwhile.
write_outcome() {
  local state
  # What was decided before is told before it is taken out.
  [[ $OLD_NEWS == '[]' ]] || tell "$OLD_NEWS"
  state=$(
    jq -n -r --argjson unhealthy "${UNHEALTHY_SINCE:-"{}"}" --argjson repair "${RECORD:-null}" --arg told "$TOLD" \
      --argjson news "$NEWS" '
      {unhealthy: $unhealthy, repair: $repair, told: $told, news: $news}
      | with_entries(select(.value | . != null and . != {} and . != "" and . != []))
      | if . == {} then "" else tojson end'
  )
  if [[ $state != "$OLD_STATE" ]]; then
    jq -n -c --arg namespace "$NAMESPACE" --arg name "$STATEFULSET" --arg version "$RESOURCE_VERSION" \
      --arg state "$STATE_ANNOTATION" --arg pause "$PAUSE_ANNOTATION" --arg annotated "$ANNOTATED" --arg paused "$PAUSED" \
      --arg old "$OLD_STATE" --arg new "$state" '
        def at($key): "/metadata/annotations/\($key | gsub("/"; "~1"))";
        {apiVersion: "apps/v1", kind: "StatefulSet", namespace: $namespace, name: $name} + if $annotated == "no" then {
          operation: "MergePatch",
          mergePatch: {metadata: {resourceVersion: $version, annotations: {($state): $new}}}
        } else {
          operation: "JSONPatch",
          jsonPatch: [
            {op: "test", path: at($state), value: (if $old == "" then null else $old end)},
            (if $paused == "yes" then empty else {op: "test", path: at($pause), value: null} end),
            (if $new == "" then {op: "remove", path: at($state)} else {op: "add", path: at($state), value: $new} end)
          ]
        } end' >> "$KUBERNETES_PATCH_PATH"
  fi
  report_metrics
}

# The gauges are one group: what a run does not mention is gone.
report_metrics() {
  jq -n -c --arg statefulset "$STATEFULSET" --arg found "$STS_UID" --argjson well "${WELL_COUNT:-0}" \
    --argjson unhealthy "${UNHEALTHY_COUNT:-0}" --argjson repair "${RECORD:-null}" --arg refused "$REFUSED" '
    def gauge($name; $value; $labels):
      {name: "etcd_repair_\($name)", group: "etcd-repair", set: $value, labels: ({statefulset: $statefulset} + $labels)};
    gauge("statefulset_found"; if $found == "" then 0 else 1 end; {}),
    gauge("members"; $well; {state: "well"}),
    gauge("members"; $unhealthy; {state: "unhealthy"}),
    if $repair == null then empty else gauge("in_progress"; 1; {pod: $repair.pod, step: $repair.step}) end,
    if $refused == "" then empty else gauge("refused"; 1; {reason: $refused}) end
  ' >> "$METRICS_PATH"
}

iso() {
  TZ=UTC printf '%(%FT%TZ)T\n' "$1"
}
