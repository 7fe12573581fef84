#!/usr/bin/env bash
# Removes all backups of this Backup from the bucket, and the folder they are in, unless it belongs to another one.
database=${BACKUP_SOURCE:?} dump_name=dump
# shellcheck source=../../../solutions/backup/hooks/lib/backup.sh
source "${ENGINES:?}/lib/backup.sh"

database_settings() { :; }

# Prints which other Backups have backups here. What this one has taken over is its own.
others_here() {
  local manifest text
  while IFS= read -r -d '' manifest; do
    ! read_small "$manifest" || printf '%s\n' "${text//$'\n'/ }"
  done < <(find "$manifests" -name manifest.json -print0) |
    jq -R -r --arg installation "$installation" --arg unmarked "$UNMARKED" --slurpfile owner "$work/owner.json" '
      fromjson? | objects
      | select((.identity // $unmarked) as $identity | $owner[0].takenOver // [] | index([$identity]) | not)
      | .installation // empty | select(. != $installation)' | sort -u | tr '\n' ' '
}

started=$(date +%s) server_version='' left_out='{}'
set_defaults
read_context
read_settings
open_target "$BACKUP_NAME-remove"
step lock
if ! target_read owner.json "$work/owner.json"; then
  # Without a mark nothing was published there, and what lies there is not known to be ours.
  store lsf "$root" > "$work/left"
  [[ ! -s $work/left ]] || fail FolderTaken "$BACKUP_FOLDER in $(target_describe) has no owner.json, so it is not known whose it is: look what is in it, and remove that by hand"
  echo "there is nothing in $(target_describe)"
  exit 0
fi
owned_by=$(jq -r '.installation // ""' "$work/owner.json")
[[ $owned_by == "$installation" ]] ||
  fail FolderTaken "$BACKUP_FOLDER in $(target_describe) was made by $owned_by, and this is $installation: nothing is removed"
lock_take
step remove
target_list
others=$(others_here)
[[ -z $others ]] ||
  fail FolderTaken "$BACKUP_FOLDER in $(target_describe) also has backups of ${others% }, and this is $installation: nothing is removed"
count=$(find "$manifests" -name manifest.json -not -path "*/failed/*" | wc -l)
# Manifests first: without one, nothing is a backup.
store delete --include 'manifest.json' "$root"
# The mark goes last, so that a removal that was interrupted knows the folder again.
store delete --exclude '/owner.json' --exclude '/.lock' "$root"
lock_release
store delete "$root"
echo "removed $count backups from $(target_describe)"
