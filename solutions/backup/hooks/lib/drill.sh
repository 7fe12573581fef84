# shellcheck shell=bash
# A drill restores the newest backup from the target to a scratch server, as after a loss, and runs DRILL_QUERY there. A
# hook sources this file, defines two functions for its database, and ends with `drill_hook "$@"`:
#   database_restore FILE   restores the dump to a scratch server, and compares it with the manifest in $manifest
#   database_query          prints the answer of the scratch server to DRILL_QUERY
# shellcheck source=backup.sh
source "${BASH_SOURCE[0]%/*}/backup.sh"
# shellcheck source=restore.sh
source "$lib/restore.sh"

drill_hook() {
  if [[ ${1:-} == --config ]]; then
    drill_config
    return
  fi
  started=$EPOCHSECONDS
  set_defaults
  read_context
  drill_settings
  if [[ $context_type == Schedule ]]; then
    drill_run
  else
    drill_check
  fi
}

# Without DRILL_CRONTAB there are weekly drills if dumps are verified by restoring them and this Pod can decrypt them.
default_crontab() {
  if [[ ${BACKUP_VERIFY:-yes} != yes || (-n ${BACKUP_AGE_RECIPIENTS:-} && -z ${BACKUP_AGE_IDENTITY_FILE:-}$age_identity) ]]; then
    echo never
  else
    echo '0 6 * * 0'
  fi
}

drill_config() {
  local crontab=${DRILL_CRONTAB:-$(default_crontab)}
  echo 'configVersion: v1'
  # A hook that prints only settings has no bindings and never runs.
  [[ $crontab == never ]] || cat <<YAML
$(guarded_binding)
schedule:
  - name: drill
    crontab: "$crontab"
    timeZone: "${BACKUP_TIME_ZONE:-Etc/UTC}"
    jitter: "${BACKUP_JITTER:-5m}"
    concurrency: skip
    missed: latest
    # A failed drill is reported, and repeated at the next tick or by hand, but not retried.
    allowFailure: true
    includeSnapshotsFrom: [guarded]
    # A queue of its own: backups wait for a drill only to use the scratch volume, see room.sh.
    queue: drill
YAML
  cat <<YAML
settings:
  timeout: "${DRILL_TIMEOUT:-6h}"
YAML
}

drill_settings() {
  : "${DRILL_QUERY:=}" "${DRILL_EXPECT:=}" "${DRILL_MINIMUM:=}"
  problems=()
  expect DRILL_MINIMUM '^$|^(0|-?[1-9][0-9]{0,14})$' 'a whole number'
  [[ -n $DRILL_QUERY || -z $DRILL_EXPECT$DRILL_MINIMUM ]] ||
    problems+=("DRILL_QUERY is not set, expected what DRILL_EXPECT or DRILL_MINIMUM is the answer to")
  ((${#problems[@]} == 0)) || fail BadSettings "$(printf '%s; ' "${problems[@]}")correct the environment of the Deployment"
  read_settings
}

# Runs at the start of the operator: sets the metrics of the last drill again.
drill_check() {
  step check
  open_target "$BACKUP_NAME-drill"
  if ignore_odd=yes target_read drill.json "$work/drill.json"; then
    drill_gauges "$work/drill.json" > "$work/gauges" 2> "$work/stderr" && cat "$work/gauges" > "$METRICS_PATH" ||
      echo "drill.json in $(target_describe) is not what a drill writes: it is ignored until the next one"
  fi
  echo "drills bring the newest backup of $BACKUP_NAME out of $(target_describe)"
}

drill_run() {
  # A drill that makes its Pod restart must not do so forever.
  ((attempt <= 3)) || fail Interrupted "the drill was interrupted $((attempt - 1)) times, and is left to the next tick: look at why the Pod was restarted"
  take_turn
  # A drill works while the database is away, and with every backup that counts as one of the folder, also one of an
  # identity that was taken over: the restored data is thrown away afterwards.
  refuse_foreign() { :; }
  restore_as=drill
  restore_begin
  # restore_begin has set this to no, but a drill needs room for the restored data.
  BACKUP_VERIFY=yes
  size_bytes=0 restored_bytes=$(number_in_manifest .restoredBytes)
  check_scratch
  step restore
  database_restore "$dump"
  step query
  answer=''
  [[ -z $DRILL_QUERY ]] || ask_scratch
  stop_scratch
  step note
  drill_done
}

# Fails when the manifest has another number than was restored. The manifest of an unverified backup has no numbers.
expect_counted() { # NAME NUMBER
  local said
  said=$(jq -r --arg name "$1" '.counts | if . == {} then "" else .[$name] // 0 end' "$manifest")
  [[ -z $said || $said == "$2" ]] || fail VerifyFailed "the restored $database has $2 $1, the manifest of backup $backup says $said"
}

# Sets answer; fails when it is not the expected one.
ask_scratch() {
  answer=$(database_query 2> "$work/stderr") ||
    fail QueryFailed "the restored $database does not answer to DRILL_QUERY: $(last_words "$work/stderr")"
  answer=${answer:0:1000}
  if [[ -n $DRILL_EXPECT && $answer != "$DRILL_EXPECT" ]]; then
    fail QueryWrong "DRILL_QUERY is answered with \"${answer:0:200}\", expected \"$DRILL_EXPECT\": was backup $backup, of $(jq -r .takenAt "$manifest"), made of the right data?"
  elif [[ -n $DRILL_MINIMUM && ! ($answer =~ ^(-?)([0-9]{1,15})$ && ${BASH_REMATCH[1]}10#${BASH_REMATCH[2]} -ge $DRILL_MINIMUM) ]]; then
    fail QueryWrong "DRILL_QUERY is answered with \"${answer:0:200}\", expected $DRILL_MINIMUM or more: was backup $backup, of $(jq -r .takenAt "$manifest"), made of the right data?"
  elif [[ -z $answer ]]; then
    fail QueryWrong "DRILL_QUERY is answered with nothing: was backup $backup, of $(jq -r .takenAt "$manifest"), made of the right data?"
  fi
}

drill_done() {
  local words
  jq -c --arg answer "$answer" --argjson started "$started" --argjson now "$EPOCHSECONDS" '{
    backup, takenAt, drilledAt: ($now | todate), durationSeconds: ($now - $started),
    backupAgeSeconds: ($started - (.takenAt | fromdateiso8601)), answer: $answer
  }' "$manifest" > "$work/drill.json"
  target_write "$work/drill.json" drill.json
  {
    printf '{"group": "drill-%s-failing", "action": "expire"}\n' "$BACKUP_NAME"
    drill_gauges "$work/drill.json"
  } > "$METRICS_PATH"
  words="backup $backup, of $(jq -r .takenAt "$manifest"), was restored in $((EPOCHSECONDS - started)) s"
  [[ -z $DRILL_QUERY ]] || words+=", and answers to DRILL_QUERY with \"${answer:0:200}\""
  event DrillSucceeded "$BACKUP_NAME: $words" | jq -c '.object.type = "Normal" | del(.ignoreHookError)' > "$KUBERNETES_PATCH_PATH"
  echo "$words"
}

drill_gauges() { # FILE
  jq -c --arg name "$BACKUP_NAME" '
    {
      drill_last_success_timestamp_seconds: (.drilledAt | fromdateiso8601),
      drill_duration_seconds: .durationSeconds,
      drill_backup_age_seconds: .backupAgeSeconds,
      drill_answer: (.answer | tonumber? // null)
    } | to_entries[] | select(.value > -1e300 and .value < 1e300) | {name: .key, action: "set", value, labels: {name: $name}}' "$1"
}

# Replaces the function of report.sh that reports a failed backup.
report_failed() {
  local failure reason message
  mapfile -t failure < "$failure_file"
  reason=${failure[0]:-Unexpected}
  message="drill of $BACKUP_NAME, step $current_step: ${failure[1]:-see the log of the operator}"
  echo "$reason: $message" >&2
  jq -n -c --arg name "$BACKUP_NAME" --arg reason "$reason" '
    {name: "drill_failures_total", action: "add", value: 1, labels: {name: $name, reason: $reason}},
    {group: "drill-\($name)-failing", action: "expire"},
    {group: "drill-\($name)-failing", name: "drill_failing", action: "set", value: 1, labels: {name: $name, reason: $reason}}
    | .ignoreHookError = true' > "$METRICS_PATH"
  event "Drill$reason" "$message" > "$KUBERNETES_PATCH_PATH"
}

# Splits DRILL_QUERY into the array words, as a shell does, with quotes.
split_query() {
  mapfile -d '' -t words < <(xargs printf '%s\0' <<< "$DRILL_QUERY")
}
