# shellcheck shell=bash
# One backup from beginning to end, the same for every database. A hook sets dump_name, the file name of the dump in a
# backup, sources this file, defines four functions for its database, and ends with `backup_hook "$@"`:
#   database_check          fails when the database cannot be backed up; sets size_bytes, the size of the database, which
#                           the dump does not exceed, and server_version; may set restored_bytes, the size of the restored
#                           database, if it differs, and left_out, a JSON object, if the dump will not have everything
#   database_dump FILE      writes a dump of one point in time
#   database_verify FILE    restores the dump elsewhere and compares it; sets verified and counts, a JSON object
#   database_version        prints the version of the program that makes the dump
# shellcheck source=common.sh
source "${BASH_SOURCE[0]%/*}/common.sh"
# shellcheck source=lock.sh
source "$lib/lock.sh"
# shellcheck source=attempts.sh
source "$lib/attempts.sh"
# shellcheck source=retain.sh
source "$lib/retain.sh"

backup_hook() {
  if [[ ${1:-} == --config ]]; then
    backup_config
    return
  fi
  started=$EPOCHSECONDS server_version='' left_out='{}'
  set_defaults
  read_context
  read_settings
  open_target "$BACKUP_NAME"
  # These lie beside the folder of the run, which is empty at its start. No BACKUP_NAME contains ".".
  made=$work.made tried=$work.tried ended=$work.ended
  if [[ $context_type == Schedule ]]; then
    backup_run
  else
    backup_check
  fi
}

backup_config() {
  cat <<YAML
configVersion: v1
$(guarded_binding)
schedule:
  - name: backup
    crontab: "${BACKUP_CRONTAB:-0 3 * * *}"
    timeZone: "${BACKUP_TIME_ZONE:-Etc/UTC}"
    jitter: "${BACKUP_JITTER:-5m}"
    # A tick that comes due while a failed run waits for its retry replaces that run.
    concurrency: queue
    # Ticks that were missed while no operator was running are made up for by one run.
    missed: latest
    startingDeadline: "${BACKUP_STARTING_DEADLINE:-23h}"
    includeSnapshotsFrom: [guarded]
    queue: backup
settings:
  timeout: "${BACKUP_TIMEOUT:-6h}"
  # The interval between retries of a failing backup, after the first few.
  executionMinInterval: "${BACKUP_RETRY_INTERVAL:-1m}"
  executionBurst: 5
YAML
}

# If there are several contexts, only the last one counts.
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
  # Names sort by time. A retry has the same name as the first attempt, so it never makes a second backup.
  backup=$stamp-$run_id
}

# Runs at the start of the operator, so that wrong settings are reported then and not at the first backup.
backup_check() {
  step check
  target_check
  target_list
  database_check
  find_identity
  check_owner
  expect_target_room
  report_checked
  warn_of_room
  echo "settings are in order: $(target_describe) takes backups of $(database_version)"
}

backup_run() {
  [[ $backup =~ $BACKUP_PATTERN ]] || fail Unexpected "the context has no runId or scheduledAt, but \"$backup\": run with hooklet, not by hand"
  echo "backup $backup: $reason, attempt $attempt"
  ! was_due_meanwhile || return 0
  [[ -s $made/manifest.json ]] || limit_dumps
  step lock
  [[ $BACKUP_TARGET == s3 ]] || target_check
  lock_take
  step check
  target_list
  read_owner
  recall_identity
  if is_published; then
    echo "this run has published its backup already"
    clean
  else
    database_check
    find_identity
    check_owner
    mark_owner
    clean
    if ! is_published; then
      expect_target_room
      reuse_dump || make_backup
      publish_backup
    fi
  fi
  rm -rf "$made"
  step latest
  newest=$(newest_of_all)
  target_point "$newest"
  step retain
  retain
  lock_release
  remember "$ended" "$started $EPOCHSECONDS"
  report_done
  [[ -z ${size_bytes:-} ]] || warn_of_room
}

# Fails when the target has no room for a backup as large as the newest one. Before the first backup nothing is
# checked: it is known only to be no larger than the database, and most backups are much smaller.
expect_target_room() {
  local newest
  newest=$(newest_manifest)
  [[ -z $newest ]] || target_expect_room "$(jq -r .bytes "$newest")" "the newest backup"
}

# Whether this run of this installation has published its backup; sets published_checksum. Another installation may
# have a run of the same name.
is_published() {
  local manifest=$manifests/$backup/manifest.json said
  [[ $identity == "$owner" && -s $manifest ]] || return 1
  [[ -n $(backups_in "$manifests" "$backup") ]] && said=$(jq -r '.sha256, .identity' "$manifest") || return 1
  published_checksum=${said%%$'\n'*}
  [[ ${said#*$'\n'} == "$identity" ]]
}

make_backup() {
  limit_dumps
  check_scratch
  count_dump
  taken_at=$(now_as %FT%TZ)
  step dump
  database_dump "$dump"
  [[ -s $dump ]] || fail DumpFailed "the dump is empty"
  step verify
  verified=no counts='{}'
  [[ $BACKUP_VERIFY == no ]] || database_verify "$dump"
  seal_dump
  bytes=$(stat -c %s "$dump")
  checksum=$(checksum_of "$dump")
  write_manifest > "$work/manifest.json"
  keep_dump
}

# Only what has a manifest counts as a backup, so the manifest is published last.
publish_backup() {
  send_dump ''
  is_published || fail UploadDamaged "the manifest of $backup in $(target_describe) is not the one that was sent: is somebody else at work in $BACKUP_FOLDER?"
  # Another attempt may have published a different dump in the meantime.
  [[ $published_checksum != "$checksum" ]] || compared=yes
}

send_dump() { # FOLDER
  step upload
  target_put "$dump"
  step compare
  [[ $(target_checksum "$stored_path") == "$checksum" ]] ||
    fail UploadDamaged "what $(target_describe) gives back is not what was sent: look at the store, the backup is not published"
  step publish
  jq -c --arg file "$stored_name" '.file = $file' "$work/manifest.json" > "$work/published.json"
  target_publish "$work/published.json" "$1$backup"
}

write_manifest() {
  jq -n -c --arg format "$BACKUP_FORMAT" --arg database "$database" --arg backup "$backup" --arg run "$run_id" \
    --arg taken "$taken_at" --arg file "$dump_name" --argjson bytes "$bytes" --arg sum "$checksum" \
    --arg verified "$verified" --argjson counts "$counts" --arg version "$(database_version)" \
    --arg server "$server_version" --arg identity "$identity" --arg installation "$installation" --argjson left "$left_out" '{
      format: $format, database: $database, backup: $backup, runId: $run, takenAt: $taken, file: $file,
      bytes: $bytes, sha256: $sum, verified: $verified, counts: $counts, version: $version, server: $server,
      identity: $identity, installation: $installation
    } + if $left == {} then {} else {leftOut: $left} end' | name_needs
}
