# shellcheck shell=bash
# Backups on a mounted volume:
#   NAME/BACKUP/{the dump, manifest.json}      published: the folder got its name in one step
#   NAME/.incoming/BACKUP/                     being written, or left by a run that was killed
#   NAME/latest.json                           the manifest of the newest one, for people
root=$BACKUP_DIR/$BACKUP_NAME
# A folder that has BACKUP/manifest.json for each one that is published, after target_list or target_clean.
manifests=$root

target_describe() {
  echo "the volume at $BACKUP_DIR"
}

target_check() {
  try TargetFailed "cannot write to $BACKUP_DIR: mount the volume there, writable for this user" \
    mkdir -p "$root/.incoming"
  try TargetFull "cannot write to $BACKUP_DIR: is it full, or mounted read-only?" \
    dd if=/dev/zero of="$root/.incoming/.probe" bs=4096 count=1
  rm -f "$root/.incoming/.probe"
}

# What no manifest speaks for, of runs that were killed.
target_clean() {
  rm -rf "$root/.incoming"
  mkdir "$root/.incoming"
}

target_put() { # FILE
  local folder=$root/.incoming/$backup free
  free=$(df --output=avail -B1 "$root" | tail -n 1)
  ((free > bytes)) || fail TargetFull "$BACKUP_DIR has $free bytes free, the backup has $bytes: enlarge the volume, or lower BACKUP_KEEP"
  mkdir "$folder"
  try TargetFull "cannot write the backup to $BACKUP_DIR: enlarge the volume, or lower BACKUP_KEEP" \
    cp "$1" "$folder/$dump_name"
  try TargetFailed "the volume at $BACKUP_DIR does not keep what is written to it" sync "$folder/$dump_name"
}

target_checksum() {
  # From the medium, not from memory.
  dd if="$root/.incoming/$backup/$dump_name" iflag=nocache count=0 status=none
  sha256sum < "$root/.incoming/$backup/$dump_name" | cut -d ' ' -f 1
}

target_publish() { # MANIFEST
  local folder=$root/.incoming/$backup
  try TargetFull "cannot write the manifest to $BACKUP_DIR: enlarge the volume, or lower BACKUP_KEEP" \
    cp "$1" "$folder/manifest.json"
  sync "$folder/manifest.json" "$folder"
  mv -T "$folder" "$root/$backup"
  sync "$root"
}

target_list() {
  :
}

target_point() { # MANIFEST
  try TargetFull "cannot write latest.json to $BACKUP_DIR: enlarge the volume, or lower BACKUP_KEEP" \
    cp "$1" "$root/.incoming/latest.json"
  sync "$root/.incoming/latest.json"
  mv -T "$root/.incoming/latest.json" "$root/latest.json"
}

target_get() { # BACKUP FILE TO
  cp "$root/$1/$2" "$3"
}

# In two steps, so that half a backup is never seen.
target_remove() { # BACKUP
  mv -T "$root/$1" "$root/.incoming/$1"
  rm -rf "$root/.incoming/$1"
}

# Something else than a backup, to be kept until a person removes it.
target_save() { # FILE FOLDER
  mkdir -p "$root/$2"
  try TargetFull "cannot write to $BACKUP_DIR" cp "$1" "$root/$2/"
  sync "$root/$2/$(basename "$1")"
}
