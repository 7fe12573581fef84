# shellcheck shell=bash
# What a run reports: an Event on the object that is backed up when the run fails, and metrics in any case.

# Ends the run. REASON is a word for the metric and the Event; MESSAGE says what is wrong and what to do. Only the
# first call counts, also one from a subshell.
fail() { # REASON MESSAGE
  [[ -s $failure_file ]] || printf '%s\n%s\n' "$1" "$2" > "$failure_file"
  exit 1
}

# The file has no name, so nothing of it is left, however the run ends.
failure_file=$(mktemp)
exec {failure_fd}<> "$failure_file"
rm "$failure_file"
failure_file=/dev/fd/$failure_fd
current_step=start attempt=1 run_id='' object_uid='' work=''
gave_up=0
# The name of a function that reverts what was begun, until it is done.
undo=

note_unexpected() { # EXIT-CODE COMMAND
  note_full
  [[ -s $failure_file ]] || printf '%s\n%s\n' Unexpected "step $current_step: \"${2//$'\n'/ }\" ended with exit code $1: see the log" > "$failure_file"
}

# Most unexpected failures mean that nothing can be written, so this is tried.
note_full() {
  [[ -d $work && ! -s $failure_file ]] || return 0
  head -c 65536 /dev/zero 2> /dev/null > "$work/probe" && rm -f "$work/probe" ||
    printf '%s\n%s\n' ScratchFull "nothing can be written to $BACKUP_SCRATCH any more: it is full, give it more room" > "$failure_file"
}

finish() {
  local code=$?
  trap - EXIT ERR
  if ((code != 0)); then
    report_failed || echo "the failure could not be reported" >&2
  fi
  stop_scratch
  [[ -z ${lock_held:-} ]] || lock_release
  [[ -z $undo ]] || "$undo" || echo "$undo failed: something of this run is left" >&2
  [[ -z $work ]] || rm -rf "$work"
  exit "$code"
}

trap finish EXIT
trap 'note_unexpected $? "$BASH_COMMAND"' ERR
# Child processes get the signal as well: they are in the same process group.
trap 'fail Interrupted "step $current_step was interrupted: it is run again when the operator is back"' TERM INT

report_failed() {
  local failure reason message
  mapfile -t failure < "$failure_file"
  reason=${failure[0]:-Unexpected}
  message=${failure[1]:-see the log of the operator}
  if [[ -n ${METRICS_PATH:-} ]]; then
    note_failed_dump "$reason" "step $current_step: $message"
    [[ $reason != VerifyFailed || $gave_up != 0 ]] || message+=$(kept_failed "$message")
  fi
  message="$BACKUP_NAME, step $current_step: ${message//[[:cntrl:]]/?}"
  echo "$reason: $message" >&2
  # A restore is run by a person, who reads the line above.
  [[ -n ${METRICS_PATH:-} ]] || return 0
  jq -n -c --arg name "$BACKUP_NAME" --arg reason "$reason" --argjson gaveUp "$gave_up" '
    {name: "backup_failures_total", action: "add", value: 1, labels: {name: $name, reason: $reason}},
    {group: "backup-\($name)-failing", name: "backup_failing", action: "set", value: 1, labels: {name: $name, reason: $reason}},
    {group: "backup-\($name)-failing", name: "backup_gave_up", action: "set", value: $gaveUp, labels: {name: $name}}
    | .ignoreHookError = true' > "$METRICS_PATH"
  event "$reason" "$message" > "$KUBERNETES_PATCH_PATH"
}

# Prints what became of the dump, for the message. An error here is not a failure of its own.
kept_failed() { # MESSAGE
  local said
  if said=$(trap - EXIT ERR && failure_file=$work/failure && : > "$failure_file" && keep_failed "$1"); then
    [[ -z $said ]] || echo "; $(tail -n 1 <<< "$said")"
  else
    echo "; it could not be kept: $(sed -n 2p "$work/failure")"
  fi
}

# Prints the patch for an Event: one for each run and reason, however often the run is retried.
event() { # REASON MESSAGE
  jq -n -c --arg kind "$BACKUP_OBJECT_KIND" --arg object "$BACKUP_OBJECT_NAME" --arg uid "$object_uid" \
    --arg namespace "${POD_NAMESPACE:-default}" --arg reason "$1" --arg message "$2" --arg name "$BACKUP_NAME" \
    --arg run "${run_id:-check}" --argjson count "$attempt" --arg now "$(now_as %FT%TZ)" --arg pod "${POD_NAME:-}" '{
      operation: "Apply",
      ignoreHookError: true,
      force: true,
      object: {
        apiVersion: "v1",
        kind: "Event",
        metadata: {
          namespace: $namespace,
          name: ("backup-\($name)-\($run)-\($reason)" | ascii_downcase | gsub("[^a-z0-9-]"; "-"))
        },
        involvedObject: ({apiVersion: "apps/v1", kind: $kind, namespace: $namespace, name: $object}
          + if $uid == "" then {} else {uid: $uid} end),
        type: "Warning",
        reason: "Backup\($reason)",
        message: $message[:1024],
        count: $count,
        lastTimestamp: $now,
        source: {component: "scheduled-backup"},
        reportingComponent: "hooklet.dev/scheduled-backup",
        reportingInstance: $pod
      }
    }'
}

# Sets the metrics at the start of the operator, from the newest backup.
report_checked() {
  local newest
  newest=$(newest_manifest)
  expire_failing > "$METRICS_PATH"
  [[ -z $newest ]] || jq -c --arg name "$BACKUP_NAME" "$gauges" "$newest" >> "$METRICS_PATH"
}

report_done() {
  {
    expire_failing
    jq -c --arg name "$BACKUP_NAME" "$gauges" "$newest"
    gauge backups_kept "$kept"
    gauge backup_last_duration_seconds $((EPOCHSECONDS - started))
  } > "$METRICS_PATH"
  echo "backup $backup is in $(target_describe), $kept kept"
}

# The metrics of a manifest.
gauges='
  {
    backup_last_success_timestamp_seconds: (.takenAt | fromdateiso8601),
    backup_last_size_bytes: .bytes,
    backup_last_verified: (if .verified == "no" then 0 else 1 end)
  } | to_entries[] | {name: .key, action: "set", value, labels: {name: $name}}'

gauge() { # NAME VALUE
  printf '{"name": "%s", "action": "set", "value": %s, "labels": {"name": "%s"}}\n' "$1" "$2" "$BACKUP_NAME"
}

expire_failing() {
  printf '{"group": "backup-%s-failing", "action": "expire"}\n' "$BACKUP_NAME"
}
