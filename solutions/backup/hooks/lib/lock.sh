# shellcheck shell=bash
# One run at a time works in a folder of the target. The lock names its holder, which rewrites the lock as long as the
# run lives; the age of the lock is measured with the clock of the target. Good backups are safe without the lock,
# too: see retain.sh.

lock_words=

# Waits for the lock, and takes it; a lock that is not renewed is taken over.
lock_take() {
  local deadline=$((SECONDS + lock_seconds + 30)) lock_seen='' lock_seen_at=$SECONDS lock_changes=-1
  # With BACKUP_RETENTION=none there is no lock, since the credentials may not be able to remove one. Nothing is
  # removed then.
  [[ $BACKUP_RETENTION == keep ]] || return 0
  jq -n -c --arg holder "$holder" --arg tag "$attempt_tag" --arg backup "$backup" --arg since "$(now_as %FT%TZ)" \
    '{holder: $holder, tag: $tag, backup: $backup, since: $since}' > "$work/lock"
  until lock_try; do
    ((SECONDS < deadline)) ||
      fail Locked "$(lock_said holder) makes backup $(lock_said backup) in $BACKUP_FOLDER since $(lock_said since)$lock_words: are there two operators? Then end one, or set another BACKUP_FOLDER"
    sleep 1
  done
  lock_held=yes
  lock_beat > /dev/null 2>&1 &
  lock_pid=$!
}

lock_try() {
  if target_create "$work/lock" .lock; then
    lock_settle
    return
  fi
  # The lock may have been released in the meantime.
  target_read .lock "$work/lock.now" || return 1
  mv "$work/lock.now" "$work/lock.other"
  # A Pod makes one backup at a time, so an earlier run of this Pod has ended.
  if [[ $(lock_said holder) == "$holder" ]]; then
    target_write "$work/lock" .lock
    lock_settle
    return
  fi
  lock_watch
  ((SECONDS - lock_seen_at > lock_seconds || $(target_age .lock) > lock_seconds)) || return 1
  echo "took the lock of $(lock_said holder), which has not been written for more than $BACKUP_LOCK_TIMEOUT"
  target_write "$work/lock" .lock
  # If several runs do this at the same time, the last one to write has the lock.
  sleep 3
  lock_is_ours
}

# Notes when the lock was last seen to change. A lock that has not changed for its timeout is free, whatever its
# timestamp says: a clock may have been ahead when it was written.
lock_watch() {
  local now
  now=$(target_written .lock) now+=$(< "$work/lock.other")
  [[ $now != "$lock_seen" ]] || return 0
  lock_seen=$now lock_seen_at=$SECONDS lock_changes=$((lock_changes + 1)) lock_words=
  ((lock_changes == 0)) || lock_words=", and is alive"
}

# Some stores overwrite an object although they were asked not to; then the last one to write has the lock.
lock_settle() {
  target_create_is_exclusive || sleep 3
  lock_is_ours
}

lock_is_ours() {
  target_read .lock "$work/lock.now" && cmp -s "$work/lock" "$work/lock.now"
}

lock_said() { # FIELD
  jq -r --arg field "$1" '.[$field] // "somebody"' "$work/lock.other" 2> /dev/null || echo somebody
}

# Renews the lock in the background. It ends with the run, however the run ends, but not in the middle of a write.
lock_beat() {
  local run=$$ silence
  trap - ERR
  trap exit TERM
  set +e
  exec {folder_fd}<&-
  exec {silence}<> <(:)
  while true; do
    read -r -t $((lock_seconds / 4 + 1)) -u "$silence"
    kill -0 "$run" || return
    target_beat
  done
}

# Fails when another run has taken the lock: this run must not remove anything then.
lock_expect() {
  [[ $BACKUP_RETENTION == keep ]] || return 0
  lock_is_ours || fail Locked "somebody else has taken the lock of $BACKUP_FOLDER, as this run was not heard of for $BACKUP_LOCK_TIMEOUT: nothing is removed"
}

lock_release() {
  [[ ${lock_held:-no} == yes ]] || return 0
  lock_held=no
  kill "$lock_pid" 2> /dev/null || true
  wait "$lock_pid" 2> /dev/null || true
  # Does not wait long for a store that hangs.
  export RCLONE_RETRIES=1 RCLONE_LOW_LEVEL_RETRIES=1 RCLONE_TIMEOUT=20s
  (trap - ERR && ! lock_is_ours || target_delete .lock) || echo "the lock is left: it counts for $BACKUP_LOCK_TIMEOUT" >&2
}
