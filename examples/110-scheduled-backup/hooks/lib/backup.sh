# shellcheck shell=bash
# One backup from beginning to end, the same for every database. A hook sources this file, says with four functions what
# is special about its database, and ends with `backup_hook "$@"`:
#   database_check          fails when the database cannot be backed up; sets size_bytes, its size at most, and
#                           server_version; and left_out, a JSON object, if the dump will not have all that is there
#   database_dump FILE      writes a dump that is of one moment
#   database_verify FILE    restores the dump somewhere else and compares; sets verified and counts, a JSON object
#   database_version        prints what made the dump
# and with dump_name, the name of the dump among the files of a backup.
# shellcheck source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

backup_hook() {
  if [[ ${1:-} == --config ]]; then
    backup_config
    return
  fi
  started=$(date +%s) server_version='' left_out='{}'
  set_defaults
  read_context
  read_settings
  open_target "$BACKUP_NAME"
  if [[ $context_type == Schedule ]]; then
    backup_run
  else
    backup_check
  fi
}

backup_config() {
  cat <<YAML
configVersion: v1
kubernetes:
  # What is backed up: Events are put on it. When it is first seen, all settings are tried out.
  - name: guarded
    apiVersion: apps/v1
    kind: ${BACKUP_OBJECT_KIND:-StatefulSet}
    namespace: {nameSelector: {matchNames: ["${POD_NAMESPACE:-default}"]}}
    nameSelector: {matchNames: ["${BACKUP_OBJECT_NAME:-$(default_name)}"]}
    executeHookOnEvent: []
    keepFullObjectsInMemory: false
    jqFilter: .metadata.uid
schedule:
  - name: backup
    crontab: "${BACKUP_CRONTAB:-0 3 * * *}"
    timeZone: "${BACKUP_TIME_ZONE:-Etc/UTC}"
    jitter: "${BACKUP_JITTER:-5m}"
    # A backup that takes longer than the time to the next one is not followed by another at once.
    concurrency: skip
    # A tick that nobody was there for is made up for, once.
    missed: latest
    startingDeadline: "${BACKUP_STARTING_DEADLINE:-23h}"
    includeSnapshotsFrom: [guarded]
    queue: backup
settings:
  timeout: "${BACKUP_TIMEOUT:-6h}"
  # How often a failing backup is tried again, after the first few times.
  executionMinInterval: "${BACKUP_RETRY_INTERVAL:-1m}"
  executionBurst: 5
YAML
}

# Of several contexts the last one counts.
read_context() {
  local fields
  fields=$(jq -r 'last | [
    .type,
    (.runId // ""),
    (.scheduledAt // "" | gsub("[-:]|\\.[0-9]+"; "")),
    (.reason // ""),
    (.attempt // 1 | tostring),
    ((.objects // .snapshots.guarded // [])[0].filterResult // "")
  ] | join("|")' "$BINDING_CONTEXT_PATH")
  IFS='|' read -r context_type run_id stamp reason attempt object_uid <<< "$fields"
  # Names sort by time; a retry has the name of the first attempt, so it never makes a second backup.
  backup=$stamp-$run_id
}

# What is wrong is told when the operator starts, not in the night.
backup_check() {
  step check
  target_check
  target_list
  database_check
  report_checked
  echo "settings are in order: $(target_describe) takes backups of $(database_version)"
}

backup_run() {
  [[ $backup =~ $BACKUP_PATTERN ]] || fail Unexpected "the context has no runId or scheduledAt, but \"$backup\": run with hooklet, not by hand"
  echo "backup $backup: $reason, attempt $attempt"
  step check
  target_check
  target_clean
  if [[ -s $manifests/$backup/manifest.json ]]; then
    echo "this run has published its backup already"
  else
    database_check
    check_scratch
    make_backup
    publish_backup
  fi
  step latest
  newest=$(newest_manifest)
  target_point "$newest"
  step retain
  retain
  report_done
}

make_backup() {
  taken_at=$(date -u +%FT%TZ)
  step dump
  database_dump "$dump"
  [[ -s $dump ]] || fail DumpFailed "the dump is empty"
  step verify
  verified=no counts='{}'
  [[ $BACKUP_VERIFY == no ]] || database_verify "$dump"
  bytes=$(stat -c %s "$dump")
  checksum=$(sha256sum < "$dump" | cut -d ' ' -f 1)
}

# Nothing counts as a backup that has no manifest, and the manifest comes last.
publish_backup() {
  write_manifest > "$work/manifest.json"
  step upload
  target_put "$dump"
  step compare
  [[ $(target_checksum) == "$checksum" ]] ||
    fail UploadDamaged "what $(target_describe) gives back is not what was sent: look at the store, the backup is not published"
  step publish
  target_publish "$work/manifest.json"
}

write_manifest() {
  jq -n -c --arg format "$BACKUP_FORMAT" --arg database "$database" --arg backup "$backup" --arg run "$run_id" \
    --arg taken "$taken_at" --arg file "$dump_name" --argjson bytes "$bytes" --arg sum "$checksum" \
    --arg verified "$verified" --argjson counts "$counts" --arg version "$(database_version)" \
    --arg server "$server_version" --argjson left "$left_out" '{
      format: $format, database: $database, backup: $backup, runId: $run, takenAt: $taken, file: $file,
      bytes: $bytes, sha256: $sum, verified: $verified, counts: $counts, version: $version, server: $server
    } + if $left == {} then {} else {leftOut: $left} end'
}

# Keeps the newest BACKUP_KEEP, and all that are younger than BACKUP_KEEP_DAYS, or of a time to come. What is no published
# backup of ours is never looked at, and the newest one is never removed.
retain() {
  local names name oldest
  names=$(list_backups | tac)
  oldest=$(date -u -d "-$BACKUP_KEEP_DAYS days" +%Y%m%dT%H%M%SZ)
  kept=0
  for name in $names; do
    if ((kept < BACKUP_KEEP)) || [[ ${name%%-*} > $oldest ]]; then
      kept=$((kept + 1))
    else
      target_remove "$name"
      echo "removed $name"
    fi
  done
}

# Dump and restored copy must fit beside each other.
check_scratch() {
  local free
  free=$(df --output=avail -B1 "$work" | tail -n 1)
  ((free > 2 * size_bytes)) ||
    fail ScratchFull "$BACKUP_SCRATCH has $free bytes free, dump and verification of $size_bytes bytes may need twice that: give it a larger volume"
}
