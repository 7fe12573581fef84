# shellcheck shell=bash
# What is removed from the target, and when. The backup that was published last is never removed, even when two runs
# work at the same time: each removes only what was published before its own backup, by the clock of the target, and
# only after it has seen its own backup complete there.

# Keeps the newest BACKUP_KEEP backups, and all that are younger than BACKUP_KEEP_DAYS or have a time in the future.
# Whatever is not a published backup of ours is never touched, and the newest backup and that of this run are never
# removed.
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

# The newest backup by name; or that of this run, if the newest by name was published before it, as a clock was ahead.
newest_of_all() {
  local newest
  newest=$(list_backups)
  newest=${newest##*$'\n'}
  ! is_before "$newest" || newest=$backup
  echo "$manifests/$newest/manifest.json"
}

# Whether a backup was published before that of this run.
is_before() { # BACKUP
  [[ $manifests/$1/manifest.json -ot $manifests/$backup/manifest.json ]]
}

# Fails unless the new backup is in the target as its manifest says, before any old one is removed. A run that has
# compared the checksum looks only at the size.
see_whole() {
  local file said
  said=$(jq -r '.file, .bytes, .sha256' "$manifests/$backup/manifest.json")
  { read -r file && read -r bytes && read -r checksum; } <<< "$said"
  if [[ $(target_size "$backup/$file") == "$bytes" ]]; then
    [[ ${compared:-no} == no && $(target_checksum "$backup/$file") != "$checksum" ]] || return 0
  fi
  fail UploadDamaged "backup $backup is not in $(target_describe) as it was published: is somebody else at work in $BACKUP_FOLDER? Nothing was removed"
}

# Removes what unfinished runs have left: once it is older than a run may take, or at once if it is of this Pod.
clean() {
  [[ $BACKUP_RETENTION == keep || $BACKUP_TARGET == volume ]] || return 0
  target_clean "$timeout_seconds"
}
