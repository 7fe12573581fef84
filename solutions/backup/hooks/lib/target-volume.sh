# shellcheck shell=bash
# Backups on a mounted volume, in BACKUP_FOLDER:
#   BACKUP/{the dump, manifest.json}           published: the folder got its name in one step
#   failed/BACKUP/                             the same for a dump that could not be verified
#   .incoming/BACKUP.ATTEMPT/                  being written, or left by a killed run
#   owner.json, .lock                          which database the folder belongs to, and which run works in it
#   latest.json                                the manifest of the newest backup, for people
root=$BACKUP_DIR/$BACKUP_FOLDER
# A folder with BACKUP/manifest.json for each published backup, with its time.
manifests=$root
incoming=$root/.incoming

target_describe() {
  echo "the volume at $BACKUP_DIR"
}

target_check() {
  try TargetFailed "cannot write to $BACKUP_DIR: mount the volume there, writable for this user" \
    mkdir -p "$incoming"
  try TargetFull "cannot write to $BACKUP_DIR: is it full, or mounted read-only?" \
    dd if=/dev/zero of="$incoming/.probe.$attempt_tag" bs=4096 count=1
  rm -f "$incoming/.probe.$attempt_tag"
}

target_list() {
  :
}

# Removes what killed runs have left: what is older than SECONDS, or of this Pod.
target_clean() { # SECONDS
  local path
  for path in "$incoming"/* "$incoming"/.[!.]*; do
    [[ -e $path || -L $path ]] || continue
    [[ $path == *".${attempt_tag:0:8}"[a-p]* ]] || (($(age_of "$path") > $1)) || continue
    rm -rf "$path"
    echo "removed ${path#"$root"/} of a run that did not end"
  done
}

# Prints the age in seconds, by the clock of the volume, which may be that of another machine.
age_of() { # PATH
  local now
  : > "$incoming/.now.$attempt_tag"
  now=$(stat -c %Y "$incoming/.now.$attempt_tag")
  rm -f "$incoming/.now.$attempt_tag"
  echo $((now - $(stat -c %Y "$1" 2> /dev/null || echo "$now")))
}

# Fails when the volume has no room. Nothing is removed before the next backup is there, so only a person can make
# room.
target_expect_room() { # BYTES WHAT
  local free oldest
  free=$(df --output=avail -B1 "$root")
  free=${free##*$'\n'}
  ((free <= $1)) || return 0
  oldest=$(list_backups | sed -n 1p)
  fail TargetFull "$BACKUP_DIR has $free bytes free, $2 has $1: it needs room for BACKUP_KEEP + 1 backups, $((BACKUP_KEEP + 1)): enlarge the volume, or lower BACKUP_KEEP and remove by hand ${oldest:+the oldest one, $root/$oldest, or }what else is there"
}

target_put() { # FILE
  local folder=$incoming/$backup.$attempt_tag
  stored_name=$dump_name
  target_expect_room "$bytes" "the backup"
  mkdir "$folder"
  try TargetFull "cannot write the backup to $BACKUP_DIR: enlarge the volume, or lower BACKUP_KEEP" \
    cp "$1" "$folder/$dump_name"
  try TargetFailed "the volume at $BACKUP_DIR does not keep what is written to it" sync "$folder/$dump_name"
  stored_path=.incoming/$backup.$attempt_tag/$dump_name
}

target_checksum() { # PATH
  expect_plain "$1"
  # Drops the file from the page cache, so that it is read from the medium.
  dd if="$root/$1" iflag=nocache count=0 status=none
  checksum_of "$root/$1"
}

# Prints the size of a file, or nothing when it is not there.
target_size() { # PATH
  stat -c %s "$root/$1" 2> /dev/null || true
}

# If the name is taken, nothing is published, and the folder is removed with the next leftovers.
target_publish() { # MANIFEST TO
  local folder=$incoming/$backup.$attempt_tag
  try TargetFull "cannot write the manifest to $BACKUP_DIR: enlarge the volume, or lower BACKUP_KEEP" \
    cp "$1" "$folder/manifest.json"
  sync "$folder/manifest.json" "$folder"
  mkdir -p "$(dirname "$root/$2")"
  mv -T "$folder" "$root/$2" 2> "$work/stderr" || [[ -e $root/$2/manifest.json ]] ||
    fail TargetFailed "cannot publish the backup on $BACKUP_DIR: $(last_words "$work/stderr")"
  sync "$root"
}

target_point() { # MANIFEST
  try TargetFull "cannot write latest.json to $BACKUP_DIR: enlarge the volume, or lower BACKUP_KEEP" \
    target_write "$1" latest.json
}

target_get() { # BACKUP FILE TO
  expect_plain "$1/$2"
  cp "$root/$1/$2" "$3"
}

# Reading a pipe would wait forever.
expect_plain() { # PATH
  is_plain "$root/$1" || fail BackupDamaged "$1 on $BACKUP_DIR is no plain file: take another backup, see --list"
}

target_cat() { # PATH
  expect_plain "$1"
  cat "$root/$1"
}

# Renames the backup before it is removed, so that half a backup is never seen. It may already be gone.
target_remove() { # BACKUP
  local gone=$incoming/${1//\//.}.$attempt_tag
  mv -T "$root/$1" "$gone" 2> "$work/stderr" || [[ ! -e $root/$1 ]] ||
    fail TargetFailed "cannot remove $1 from $BACKUP_DIR: $(last_words "$work/stderr")"
  rm -rf "$gone"
}

# Saves a file that is no backup, which is kept until a person removes it.
target_save() { # FILE FOLDER
  mkdir -p "$root/$2"
  try TargetFull "cannot write to $BACKUP_DIR" cp "$1" "$root/$2/"
  sync "$root/$2/$(basename "$1")"
}

# Writes a small file, whole or not at all.
target_write() { # FILE PATH
  local new=$incoming/${2##*/}.$attempt_tag
  cp "$1" "$new" && sync "$new" && mv -T "$new" "$root/$2"
}

# Fails when the file exists. On a volume without hard links it is renamed, unless the name is taken.
target_create() { # FILE PATH
  local new=$incoming/${2##*/}.$attempt_tag is_new=yes
  { cp "$1" "$new" && sync "$new"; } 2> "$work/stderr" ||
    fail TargetFull "cannot write ${2##*/} to $BACKUP_DIR: is it full, or mounted read-only? $(last_words "$work/stderr")"
  ln -T "$new" "$root/$2" 2> "$work/stderr" || {
    [[ -e $root/$2 ]] || mv -nT "$new" "$root/$2"
    [[ ! -e $new ]] || is_new=no
  }
  rm -f "$new"
  [[ $is_new == yes ]]
}

target_create_is_exclusive() {
  return 0
}

# Fails when the file does not exist.
target_read() { # PATH TO
  if [[ -e $root/$1 || -L $root/$1 ]] && ! { is_plain "$root/$1" && (($(target_size "$1") <= 65536)); }; then
    odd_file "$1" "it is no plain file of 64 KiB at most"
    return 1
  fi
  cp "$root/$1" "$2" 2> "$work/stderr" && return 0
  note_full
  [[ ! -e $root/$1 ]] || fail TargetFailed "cannot read $1 on $BACKUP_DIR: $(last_words "$work/stderr")"
  return 1
}

# Prints when the file was written, as the volume says it; a file that is rewritten has another time.
target_written() { # PATH
  stat -c %y "$root/$1" 2> /dev/null || true
}

target_age() { # PATH
  age_of "$root/$1"
}

target_delete() { # PATH
  rm -f "$root/$1"
}

# Renews the lock, if this run has it.
target_beat() {
  is_plain "$root/.lock" && cmp -s "$work/lock" "$root/.lock" && touch -c "$root/.lock"
}
