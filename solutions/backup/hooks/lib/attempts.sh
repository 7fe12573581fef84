# shellcheck shell=bash
# What a run leaves for later ones: the start and end time of the last backup, a good dump that could not be sent, how
# many dumps of the run were made, and in the target, under failed/, a dump that could not be verified.

# Skips a tick that came due while the previous backup was running, so that a backup that takes longer than the
# interval of the schedule is not followed by another one at once.
was_due_meanwhile() {
  local due from=0 to=0
  [[ $reason == tick && $attempt == 1 && -O $ended ]] || return 1
  read -r from to < "$ended" || return 1
  due=$(date -u -d "${stamp:0:4}-${stamp:4:2}-${stamp:6:5}:${stamp:11:2}:${stamp:13:2}Z" +%s)
  ((from < due && due < to && to <= started)) || return 1
  echo "it came due while the backup before it was made: nothing to do"
}

# Reuses the dump of the previous attempt if it belongs to this run and its checksum matches.
reuse_dump() {
  local about=$made/manifest.json
  if [[ -d $made && ! -L $made && -O $made && -s $about && $(jq -r '.backup + " " + .identity' "$about") == "$backup $identity" ]]; then
    dump_name=$(jq -r .file "$about") checksum=$(jq -r .sha256 "$about")
    if [[ $dump_name =~ $DUMP_PATTERN && $(checksum_of "$made/$dump_name") == "$checksum" ]]; then
      dump=$made/$dump_name bytes=$(jq -r .bytes "$about")
      cp "$about" "$work/manifest.json"
      echo "the dump of the attempt before is sent, taken at $(jq -r .takenAt "$about")"
      return 0
    fi
  fi
  rm -rf "$made"
  return 1
}

# Keeps the dump and its manifest for the next attempt, until they are in the target.
keep_dump() {
  rm -rf "$made"
  mkdir "$made"
  sync "$dump"
  mv "$dump" "$made/"
  cp "$work/manifest.json" "$made/"
  rm -f "$tried"
  dump=$made/$dump_name
}

# Limits the dumps of one run, so that a backup that always fails does not make one dump after another.
limit_dumps() {
  local last=()
  dumps=0
  [[ ! -O $tried ]] || mapfile -t last < "$tried"
  [[ ${last[0]:-} == "$backup" ]] || return 0
  dumps=${last[1]:-0}
  ((dumps >= BACKUP_ATTEMPTS)) || return 0
  gave_up=1
  fail "${last[2]:-Unexpected}" "gave up after $dumps dumps of this run: the next tick begins anew, and so does \"hooklet schedule trigger backup.sh backup\"; the last one: ${last[3]:-see the log}"
}

count_dump() {
  dumps=$((dumps + 1))
  remember "$tried" "$backup" "$dumps"
}

# Records the reason of the last failed dump for the message of limit_dumps.
note_failed_dump() { # REASON MESSAGE
  [[ -s ${tried:-} && $gave_up == 0 ]] || return 0
  remember "$tried" "$backup" "$dumps" "$1" "${2//$'\n'/ }"
}

# The functions below run at the end of a failed run, in the EXIT trap, where a plain "return" would return its exit
# code.

# Keeps a dump that could not be verified, as it may be better than nothing: one for each run, BACKUP_KEEP_FAILED of
# them at most, and none larger than BACKUP_KEEP_FAILED_MIB.
keep_failed() { # MESSAGE
  local name excess
  ((BACKUP_KEEP_FAILED > 0)) && [[ -s $dump ]] || return 0
  target_list
  [[ ! -e $manifests/failed/$backup/manifest.json ]] || return 0
  verified=failed counts='{}'
  # With encryption on, a dump that cannot be encrypted must not leave the Pod: this fails then.
  [[ $dump_name == *.age ]] || seal_dump
  bytes=$(stat -c %s "$dump")
  ((bytes <= BACKUP_KEEP_FAILED_MIB * 1024 * 1024)) || {
    echo "it is not kept: it has $bytes bytes, and BACKUP_KEEP_FAILED_MIB is $BACKUP_KEEP_FAILED_MIB"
    return 0
  }
  checksum=$(checksum_of "$dump")
  write_manifest | jq -c --arg failure "$1" '. + {failure: $failure[:1000]}' > "$work/manifest.json"
  stored_in=failed/
  send_dump failed/
  echo "it is kept as failed/$backup"
  [[ $BACKUP_RETENTION == keep ]] || return 0
  target_list
  excess=$(($(list_failed | wc -l) - BACKUP_KEEP_FAILED))
  for name in $(list_failed | head -n "$((excess > 0 ? excess : 0))"); do
    target_remove "failed/$name"
  done
}
