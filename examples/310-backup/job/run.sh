#!/usr/bin/env bash
# run.sh backup|drill|remove: does it once in the Pod of a Job, with settings from the environment, and leaves a report as
# the termination message of the Pod. The engines are those of the image that this one is made from, in ENGINES, and the
# two beside this file.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
task=${1:?backup, drill or remove}
: "${ENGINES:=/hooks}" "${TERMINATION_LOG:=/dev/termination-log}"
export ENGINES
command -v jq > /dev/null || jq() { hooklet jq "$@"; }

started=$(date +%s)
folder=$(mktemp -d)
export BINDING_CONTEXT_PATH=$folder/context METRICS_PATH=$folder/metrics KUBERNETES_PATCH_PATH=$folder/patch
: > "$METRICS_PATH"
: > "$KUBERNETES_PATCH_PATH"

# The name of a Job that a CronJob has made ends with the minute it is for, so all Pods of a Job make the same backup.
scheduled_at() {
  local minute=${JOB_NAME##*-}
  if [[ $minute =~ ^[1-9][0-9]{7,8}$ ]]; then date -u -d "@$((minute * 60))" +%FT%TZ; else date -u +%FT%TZ; fi
}

jq -n --arg at "$(scheduled_at)" --arg id "${JOB_UID:?}" '[{
  binding: "backup", type: "Schedule", scheduledAt: $at, reason: "tick", attempt: 1, runId: $id, snapshots: {guarded: []}
}]' > "$BINDING_CONTEXT_PATH"

engine=$ENGINES/${BACKUP_SOURCE:?}/$task.sh
[[ $task != remove && $BACKUP_SOURCE != volume && $BACKUP_SOURCE != command ]] || engine=$here/$BACKUP_SOURCE/$task.sh
[[ $task != remove ]] || engine=$here/remove.sh

# Kubernetes ends Pods with a signal, which the engine handles.
code=0
bash "$engine" > >(tee "$folder/out") 2>&1 &
engine_pid=$!
trap 'kill -TERM "$engine_pid" 2> /dev/null || true' TERM INT
while kill -0 "$engine_pid" 2> /dev/null; do
  code=0
  wait "$engine_pid" || code=$?
done

# Kubernetes keeps 4096 bytes of a report, which must not lose its end.
short='def short(most): tostring[:4000] | explode | map(if . < 32 or . == 127 then 32 else . end) | implode
  | until(tojson | utf8bytelength < most; .[:length * 4 / 5 | floor]);'

# The engine reports a failure in the Event that it would like to be written, and numbers as metrics.
report_failed() {
  jq -n -c --slurpfile patch "$KUBERNETES_PATCH_PATH" --arg task "$task" --arg code "$code" '
    '"$short"'
    ($patch[0].object // {}) as $event
    | ($event.reason // "" | ltrimstr("Backup") | if $task == "drill" then ltrimstr("Drill") else . end) as $reason
    | ($event.message // "") as $message
    | {format: "example.hooklet.dev/report/v1", outcome: "failed"}
      + if $reason == "" then {reason: "Unexpected", message: "the engine ended with exit code \($code): look at its log"}
        else {reason: $reason, message: ($message | short(2400))} end
      + (if $reason != "Locked" then {} else
          ($message | capture(": (?<holder>\\S+) makes backup .* since (?<since>[0-9TZ:-]+)") // null | {lock: .}) end)'
}

report_done() {
  local verified=${BACKUP_VERIFY:-yes}
  # Nobody can restore what an unknown program has printed.
  [[ $BACKUP_SOURCE != command ]] || verified=read
  jq -n -c --slurpfile metrics "$METRICS_PATH" --arg task "$task" --arg verified "$verified" \
    --argjson seconds $(($(date +%s) - started)) --arg said "$(tail -n 1 "$folder/out" | head -c 8000)" '
    '"$short"'
    ($metrics | map(select(.name) | {(.name): .value}) | add // {}) as $gauge
    | {format: "example.hooklet.dev/report/v1", outcome: "succeeded", reason: "Succeeded", message: ($said | short(2400)),
       seconds: $seconds, backup: ($said | capture("backup (?<name>[0-9]{8}T[0-9]{6}Z-[A-Za-z0-9-]+)").name // "")}
      + if $task == "backup" then {
          takenAt: ($gauge.backup_last_success_timestamp_seconds // 0 | todate),
          bytes: $gauge.backup_last_size_bytes, kept: $gauge.backups_kept,
          verified: (if $gauge.backup_last_verified == 1 then $verified else "no" end)
        } elif $task == "drill" then {answer: ($gauge.drill_answer // "" | short(600))} else {} end'
}

if ((code == 0)); then report_done; else report_failed; fi > "$folder/report" || true
cat "$folder/report" > "$TERMINATION_LOG" || cat "$folder/report"
rm -rf "$folder"
exit "$code"
