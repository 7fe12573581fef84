# shellcheck shell=bash
# Room for the dump, and for what it is restored to, on the scratch volume and in memory. It is checked before a step
# that needs it, and watched from then on, since the kubelet and the kernel end the whole Pod, and say nothing about a
# backup.

# Fails when there is too little room; otherwise watches it as long as the run lives.
check_scratch() {
  local need
  take_turn
  need=$(bytes_needed)
  measure_disk
  ((disk_left >= need)) ||
    fail ScratchFull "dump and verification of $size_bytes bytes may need $need bytes in $BACKUP_SCRATCH, and there is room for $disk_left: $disk_words"
  watch_room
}

# Backups and drills use the same room. Each waits for the other, at most until its own timeout.
take_turn() {
  [[ -z ${turn_fd:-} ]] || return 0
  mkdir -p "$BACKUP_SCRATCH"
  exec {turn_fd}< "$BACKUP_SCRATCH"
  flock --nonblock "$turn_fd" && return
  echo "waits for room: a backup or a drill has it"
  flock "$turn_fd"
}

# The dump is no larger than the database. Beside it lies what it is restored to, or the encrypted dump.
bytes_needed() {
  local beside=0
  [[ $BACKUP_VERIFY != yes ]] || beside=${restored_bytes:-$size_bytes}
  [[ -z ${BACKUP_AGE_RECIPIENTS:-} ]] || ((beside >= size_bytes)) || beside=$size_bytes
  echo $((size_bytes + beside))
}

# Sets disk_left, and disk_words, which says which limit that is. BACKUP_SCRATCH_LIMIT is the limit of the Pod for all
# of its emptyDirs and its logs. The kubelet also evicts Pods when less than a tenth of the node's disk is left.
measure_disk() {
  local free size used server=
  { read -r _ && read -r free size; } < <(df --output=avail,size -B1 "$BACKUP_SCRATCH")
  disk_left=$free disk_words="that is all the volume has: give it a larger one"
  ((BACKUP_SCRATCH_LIMIT > 0)) || return 0
  # Files come and go while du runs, and then it fails.
  used=$(du -s -c -B1 "$BACKUP_SCRATCH" "${TMPDIR:-/tmp}" 2> /dev/null | tail -n 1 | cut -f 1) || true
  # The scratch server of PostgreSQL reports its size, as no other user can read its folder.
  [[ ! -r ${POSTGRESQL_SCRATCH:-/nonexistent}/server/used ]] || read -r server _ < "$POSTGRESQL_SCRATCH/server/used" || true
  [[ ! ${server:-} =~ ^[0-9]{1,18}$ ]] || used=$((used + server))
  disk_left=$((free - size / 10)) disk_words="its node would have less than a tenth of its disk left, and end Pods: mount a volume at $BACKUP_SCRATCH, or use a node with a larger disk"
  ((BACKUP_SCRATCH_LIMIT - logs_bytes - used >= disk_left)) || {
    disk_left=$((BACKUP_SCRATCH_LIMIT - logs_bytes - used))
    disk_words="the Pod may hold $BACKUP_SCRATCH_LIMIT bytes and holds $used: raise limits.ephemeral-storage of the Deployment"
  }
}

# The size that the logs of a Pod reach before the kubelet rotates them, more or less.
logs_bytes=$((32 * 1024 * 1024))

# Warns, before any backup fails, when a backup half as large again, or this one, would not have enough room.
warn_of_room() {
  local need tight=''
  need=$(bytes_needed)
  measure_disk
  ((disk_left >= need + need / 2)) ||
    tight="a backup may need $need bytes in $BACKUP_SCRATCH, and there is room for $disk_left: $disk_words"
  measure_memory
  ((memory_left >= ${memory_needed:-0} * 3 / 2)) ||
    tight+="${tight:+; }its verification needs about $memory_needed bytes of memory, and there is room for $memory_left: $memory_words"
  [[ -n $tight ]] || return 0
  echo "room is scarce: $tight"
  event RoomScarce "$BACKUP_NAME: $tight" >> "$KUBERNETES_PATCH_PATH"
}

# Fails when so many bytes do not fit into memory.
check_memory() { # BYTES WHAT
  # A server takes more memory than its data.
  memory_needed=$(($1 + $1 / 5 + 16 * 1024 * 1024))
  measure_memory
  ((memory_left >= memory_needed)) ||
    fail MemoryTooSmall "$2 needs about $memory_needed bytes of memory, and there is room for $memory_left: $memory_words"
}

# Sets memory_left and memory_words. The page cache counts as free, as the kernel gives it back; a twentieth is left
# for other processes.
measure_memory() {
  local folder=/sys/fs/cgroup limit=max used name value
  while read -r name value _; do
    [[ $name != MemAvailable: ]] || memory_left=$((value * 1024)) memory_words="that is all the node has"
  done < /proc/meminfo
  if [[ -r $folder/memory.max ]]; then
    limit=$(< $folder/memory.max) used=$(< $folder/memory.current)
  elif [[ -r $folder/memory/memory.limit_in_bytes ]]; then
    folder+=/memory
    limit=$(< $folder/memory.limit_in_bytes) used=$(< $folder/memory.usage_in_bytes)
  fi
  [[ $limit != max ]] || return 0
  while read -r name value; do
    case $name in active_file | inactive_file) used=$((used - value)) ;; esac
  done < "$folder/memory.stat"
  ((limit - limit / 20 - used >= memory_left)) || {
    memory_left=$((limit - limit / 20 - used))
    memory_words="the container may have $limit bytes and has $used: raise limits.memory of the Deployment, or set BACKUP_VERIFY=read"
  }
}

# Runs in the background until the run ends: ends the run with a reason, before the kubelet or the kernel does so
# without one.
watch_room() {
  watch_it > /dev/null 2>&1 &
}

watch_it() {
  local run=$$ turn=0 silence
  trap - ERR EXIT TERM INT
  set +e
  exec {folder_fd}<&-
  exec {silence}<> <(:)
  while kill -0 "$run" 2> /dev/null; do
    measure_memory
    ((memory_left > 0)) || end_run MemoryTooSmall "it takes more memory than there is: $memory_words"
    ((turn++ % 5 > 0)) || measure_disk
    ((disk_left > 0)) || end_run ScratchFull "it takes more room in $BACKUP_SCRATCH than there is: $disk_words"
    read -r -t 0.2 -u "$silence"
  done
}

# Also ends the programs that the run has started: the run handles a signal only after they have ended.
end_run() { # REASON MESSAGE
  local file fields
  [[ -s $failure_file ]] || printf '%s\n%s\n' "$1" "$2; the run was stopped" > "$failure_file"
  kill -TERM "$run"
  for file in /proc/[0-9]*/stat; do
    fields=$(< "$file") 2> /dev/null || continue
    [[ ${fields##*) } != ?' '"$run "* || ${fields%% *} == "$BASHPID" ]] || kill -TERM "${fields%% *}"
  done
  exit
}
