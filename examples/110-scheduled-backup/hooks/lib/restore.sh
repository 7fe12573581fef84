# shellcheck shell=bash
# What the restore scripts have in common: options, the choice of the backup, and the dump, checked, in $dump.

# shellcheck source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

stamp=$(date -u +%Y%m%dt%H%M%Sz)

# Reads the options; what is none of them is in `rest`.
restore_begin() {
  local wanted=latest list=no
  force=no rest=()
  while (($# > 0)); do
    case $1 in
      --list) list=yes ;;
      --force) force=yes ;;
      --backup) wanted=${2:?the name of a backup is missing} && shift ;;
      --help) usage && exit ;;
      *) rest+=("$1") ;;
    esac
    shift
  done
  set_defaults
  # Nothing is verified here.
  BACKUP_VERIFY=no
  read_settings
  open_target "$BACKUP_NAME-restore"
  target_list
  if [[ $list == yes ]]; then
    list_for_people
    exit
  fi
  step choose
  choose "$wanted"
  step fetch
  target_get "$backup" "$dump_name" "$dump"
  [[ $(sha256sum < "$dump") == "$(jq -r .sha256 "$manifest") "* ]] ||
    fail BackupDamaged "backup $backup is damaged in $(target_describe): take another one, see --list"
  echo "fetched backup $backup, taken at $(jq -r '"\(.takenAt): \(.counts)" + if .leftOut then ", left out: \(.leftOut)" else "" end' "$manifest")"
}

choose() { # BACKUP
  if [[ $1 == latest ]]; then
    manifest=$(newest_manifest)
    [[ -n $manifest ]] || fail NoBackup "there is no backup of $BACKUP_NAME in $(target_describe)"
  else
    manifest=$manifests/$1/manifest.json
    list_backups | grep -xF -- "$1" > /dev/null || fail NoBackup "there is no backup $1 in $(target_describe): see --list"
  fi
  backup=$(jq -r .backup "$manifest")
  dump_name=$(jq -r .file "$manifest")
  [[ $dump_name =~ $DUMP_PATTERN ]] || fail BackupDamaged "the manifest of backup $backup names the file \"$dump_name\""
  dump=$work/$dump_name
}

list_for_people() {
  local name
  for name in $(list_backups); do
    jq -r '[
      .backup, .takenAt, "\(.bytes) bytes", "verified: \(.verified)", (.counts | tostring),
      (.leftOut // empty | "left out: \(.)"), (.server // "" | select(. != "") | "from version \(.)")
    ] | join("  ")' "$manifests/$name/manifest.json"
  done
}

refuse() { # MESSAGE
  fail Refused "$1"
}
