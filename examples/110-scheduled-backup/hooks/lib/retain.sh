# shellcheck shell=bash
# What is removed from the target, and when. Of the backups of several runs the one that was published last is never
# removed, also when two of them work at once: each removes only what was published before its own, by the clock of the
# target, and only after its own was seen whole there.

# Keeps the newest BACKUP_KEEP, and all that are younger than BACKUP_KEEP_DAYS, or of a time to come. What is no published
# backup of ours is never looked at, and neither the newest one nor that of this run is ever removed.
retain() {
  local names name oldest
  names=$(list_backups | grep -vxF "$backup" | tac) || true
  if [[ $BACKUP_RETENTION == none ]]; then
    kept=$(wc -w <<< "$backup $names")
    echo "older backups are left to who looks after them: BACKUP_RETENTION is none"
    return
  fi
  see_whole
  lock_expect
  oldest=$(date -u -d "-$BACKUP_KEEP_DAYS days" +%Y%m%dT%H%M%SZ)
  kept=1
  for name in $names; do
    if ((kept < BACKUP_KEEP)) || [[ ${name%%-*} > $oldest ]] || ! is_before "$name"; then
      kept=$((kept + 1))
    else
      target_remove "$name"
      echo "removed $name"
    fi
  done
}

# By name, but that of this run rather than one whose name a clock that was ahead has made.
newest_of_all() {
  local newest
  newest=$(list_backups | tail -n 1)
  ! is_before "$newest" || newest=$backup
  echo "$manifests/$newest/manifest.json"
}

# Whether it was published before that of this run.
is_before() { # BACKUP
  [[ $manifests/$1/manifest.json -ot $manifests/$backup/manifest.json ]]
}

# Nothing old is removed before the new one is there as its manifest says; a run that has compared it looks at its size.
see_whole() {
  local file
  file=$(jq -r .file "$manifests/$backup/manifest.json")
  bytes=$(jq -r .bytes "$manifests/$backup/manifest.json")
  checksum=$(jq -r .sha256 "$manifests/$backup/manifest.json")
  if [[ $(target_size "$backup/$file") == "$bytes" ]]; then
    [[ ${compared:-no} == no && $(target_checksum "$backup/$file") != "$checksum" ]] || return 0
  fi
  fail UploadDamaged "backup $backup is not in $(target_describe) as it was published: is somebody else at work in $BACKUP_FOLDER? Nothing was removed"
}

# What runs that did not end have left, once it is older than a run may take, or at once when it is of this Pod.
clean() {
  [[ $BACKUP_RETENTION == keep || $BACKUP_TARGET == volume ]] || return 0
  target_clean "$timeout_seconds"
}
