# shellcheck shell=bash
# What the restore scripts have in common: options, the choice of a backup, and its dump, which is checked and put in
# $dump.

# shellcheck source=common.sh
source "${BASH_SOURCE[0]%/*}/common.sh"

stamp=$(date -u +%Y%m%dt%H%M%Sz)

# Reads the options; all other arguments go to `rest`.
restore_begin() {
  local wanted=latest list=no
  set_defaults
  force=no take_over='' rest=()
  while (($# > 0)); do
    case $1 in
      --list) list=yes ;;
      --force) force=yes ;;
      --backup) wanted=${2:-} && expect_value "$@" 'the name of a backup' && shift ;;
      --take-over) take_over=${2:-} && expect_value "$@" 'whose backups are meant, see --list,' && shift ;;
      --help) usage && exit ;;
      *) rest+=("$1") ;;
    esac
    shift
  done
  restore_arguments ${rest[@]+"${rest[@]}"}
  # A restore verifies no dump.
  BACKUP_VERIFY=no
  read_settings
  open_target "$BACKUP_NAME-${restore_as:-restore}"
  target_list
  read_owner
  if [[ $list == yes ]]; then
    list_for_people
    exit
  fi
  step choose
  choose "$wanted"
  refuse_foreign
  step fetch
  fetch_dump "$stored_in$backup/$stored_name"
  echo "fetched backup $backup, taken at $(jq -r '"\(.takenAt): \(.counts)" + if .leftOut then ", left out: \(.leftOut)" else "" end' "$manifest")"
}

# Fails for wrong arguments before anything is fetched. Scripts that take arguments redefine this function; it may
# read `list`.
restore_arguments() { # ARGUMENT...
  :
}

expect_value() { # OPTION [VALUE] ... WORDS
  (($# > 2)) && [[ -n $2 && $2 != --* ]] || fail BadSettings "${!#} is missing after $1: see --help"
}

choose() { # BACKUP
  stored_in=''
  if [[ $1 == latest ]]; then
    manifest=$(newest_manifest)
    [[ -n $manifest ]] || fail NoBackup "there is no backup in $BACKUP_FOLDER in $(target_describe): those of earlier versions are in $BACKUP_NAME, set BACKUP_FOLDER to it"
  else
    if list_failed | grep -xF -- "$1" > /dev/null; then
      stored_in=failed/
      echo "warning: backup $1 could not be verified when it was made" >&2
    else
      list_backups | grep -xF -- "$1" > /dev/null || fail NoBackup "there is no backup $1 in $BACKUP_FOLDER in $(target_describe): see --list"
    fi
    manifest=$manifests/$stored_in$1/manifest.json
  fi
  backup=$(jq -r .backup "$manifest")
  stored_name=$(jq -r .file "$manifest")
  [[ $stored_name =~ $DUMP_PATTERN ]] || fail BackupDamaged "the manifest of backup $backup names the file \"$stored_name\""
  # In a bucket, the name also has the tag of the attempt that sent the file.
  dump_name=$(sed -E 's/^dump\.[a-p]{16}\./dump./' <<< "$stored_name")
  dump=$work/$dump_name
}

# Refuses a backup of another database, unless --take-over names its identity. If the identity here is not known, as
# etcd is stopped or Redis is not asked, the backup must be of this installation.
refuse_foreign() {
  local its here=${BACKUP_IDENTITY:-}
  its=$(jq -r --arg unmarked "$UNMARKED" '.identity // $unmarked' "$manifest")
  [[ -n $here ]] || here=$(restore_identity)
  [[ $its != "$UNMARKED" && $its != "$take_over" && $its != "$here" ]] || return 0
  if [[ -z $here ]]; then
    [[ $(jq -r .installation "$manifest") != "$installation" ]] || return 0
    here="installed as $installation"
  fi
  refuse "backup $backup is of $its (installed as $(jq -r .installation "$manifest")), and this is $here: if it is what you want, add --take-over $its"
}

# Prints the identity that the hook has found in this Pod. Scripts that can ask the database redefine this function.
restore_identity() {
  cat "$BACKUP_SCRATCH/$BACKUP_NAME.identity" 2> "$work/stderr" || true
}

list_for_people() {
  local name
  for name in $(list_backups); do list_one "$name"; done
  for name in $(list_failed); do list_one "failed/$name"; done
}

# Only a backup whose dump is there with its size is listed as verified.
list_one() { # PATH
  local manifest=$manifests/$1/manifest.json size
  size=$(target_size "$1/$(jq -r .file "$manifest")")
  jq -r --arg size "$size" --arg owner "$owner" '[
    .backup, .takenAt, "\(.bytes) bytes",
    if $size == "" then "MISSING: there is no \(.file)"
    elif $size != (.bytes | tostring) then "DAMAGED: \(.file) has \($size) bytes"
    else "verified: \(.verified)" end,
    (.counts | tostring),
    (.failure // empty | "because: \(.)"),
    (.encryption // empty | "encrypted for \(.recipients | join(", "))"),
    (.leftOut // empty | "left out: \(.)"), (.server // "" | select(. != "") | "from version \(.)"),
    (.identity // "unmarked" | select(. != $owner) | "of \(.)")
  ] | join("  ")
    # Control characters are escaped, so that a terminal does not obey them.
    | explode | map(if . >= 32 and (. < 127 or . >= 160) then . else
        ([(. / 16 | floor), . % 16] | map("0123456789abcdef"[.:. + 1]) | "\\u00" + add | explode[]) end) | implode' "$manifest"
}

refuse() { # MESSAGE
  fail Refused "$1"
}
