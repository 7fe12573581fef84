# shellcheck shell=bash
# Backups in an S3 bucket, in BACKUP_FOLDER:
#   BACKUP/{dump.ATTEMPT.…, manifest.json}     published: the manifest is written last
#   failed/BACKUP/                             the same for a dump that could not be verified
#   owner.json, .lock                          which database the folder belongs to, and which run works in it
#   latest.json                                the manifest of the newest backup, for people
# shellcheck source=rclone.sh
source "$lib/rclone.sh"
root=backup:$S3_BUCKET/${S3_PREFIX:+$S3_PREFIX/}$BACKUP_FOLDER
# After target_list: a folder with BACKUP/manifest.json for each published backup, with its time in the bucket.
manifests=$work/manifests

target_describe() {
  echo "bucket $S3_BUCKET at ${S3_ENDPOINT:-AWS}"
}

target_check() {
  echo probe > "$work/probe"
  if [[ $BACKUP_RETENTION == none ]]; then
    store "${send[@]}" "$work/probe" "$root/.probe"
  else
    store "${send[@]}" "$work/probe" "$root/.probe.$attempt_tag"
    target_delete ".probe.$attempt_tag"
  fi
}

# The manifests of backups: those in folders that are named like a backup.
named="{{${BACKUP_PATTERN:1:-1}}}/manifest.json"
named=(--include "/$named" --include "/failed/$named")

# Mirrors the manifests. An object that is listed but gone, as the listing lags or the object was removed, is left
# out. So is one that is too large for a manifest, which is reported once.
target_list() {
  local name
  mkdir -p "$manifests"
  rclone sync --ignore-errors --max-size 64Ki "${named[@]}" "$root" "$manifests" 2> "$work/stderr" || {
    ! grep ' ERROR : ' "$work/stderr" | grep -vqE 'NoSuchKey|object not found|ERROR : Attempt ' && grep -q ' ERROR : ' "$work/stderr" || diagnose
  }
  [[ ! -e $work/large ]] || return 0
  store lsf -R --files-only --min-size 65537B "${named[@]}" "$root" > "$work/large"
  while read -r name; do
    tell_unreadable "$manifests/$name"
  done < "$work/large"
}

# Removes files of killed runs that no manifest names: those older than SECONDS, or of this Pod. Nothing else in the
# bucket is removed.
target_clean() { # SECONDS
  local written path folder oldest
  store lsf -R --files-only --format tp --separator '|' "$root" > "$work/files"
  # The lock was written a moment ago, so its time is the present time of the store.
  oldest=$(sed -n 's/|\.lock$//p' "$work/files")
  oldest=$(date -u -d "${oldest:-now} UTC -$1 seconds" +'%F %T')
  # After the listing above, so that a backup that is published in between is seen.
  target_list
  while IFS='|' read -r written path; do
    folder=${path%/*}
    [[ $path == .incoming/* || $path == .probe.* || (${folder#failed/} =~ $BACKUP_PATTERN && ${path##*/} == dump.*) ]] || continue
    [[ $path == *".${attempt_tag:0:8}"[a-p]* || $written < $oldest ]] || continue
    ! is_named "$folder" "${path##*/}" || continue
    # Credentials that may not remove it must not make the backup fail.
    if rclone deletefile "$root/$path" 2> "$work/stderr"; then
      echo "removed $path of a run that did not end"
    else
      echo "$path of a run that did not end cannot be removed: $(what_rclone_said)"
    fi
  done < "$work/files"
}

# Whether a manifest names the file, or might, as it is too large to be read.
is_named() { # FOLDER FILE
  local manifest=$manifests/$1/manifest.json
  ! grep -qxF "$1/manifest.json" "$work/large" || return 0
  if [[ $2 == dump.* && ! -s $manifest ]]; then
    # The listing may lag, and not have it yet.
    manifest=$work/naming
    if ! target_read "$1/manifest.json" "$manifest"; then
      [[ $(< "$work/stderr") == *'max transfer limit'* ]]
      return
    fi
  fi
  [[ -s $manifest && $(< "$manifest") == *"\"file\":\"$2\""* ]]
}

# Sends the dump under a name of this attempt, so that no other attempt at this run overwrites or removes it.
target_put() { # FILE
  stored_name=dump.$attempt_tag.${dump_name#dump.}
  stored_path=${stored_in:-}$backup/$stored_name
  store "${send[@]}" "$1" "$root/$stored_path"
}

# The free room of a bucket is not known.
target_expect_room() { # BYTES WHAT
  :
}

# Reads the file back, as a restore does.
target_checksum() { # PATH
  store cat "$root/$1" | sha256sum | cut -d ' ' -f 1
}

# Prints the size of a file, or nothing when it is not there.
target_size() { # PATH
  store lsf --format s --include "/${1##*/}" "$root/${1%/*}"
}

target_publish() { # MANIFEST TO
  target_create "$1" "$2/manifest.json" || echo "another attempt has published $2 meanwhile"
  target_list
  # The listing may lag, and not have it yet.
  mkdir -p "$manifests/$2"
  [[ -s $manifests/$2/manifest.json ]] || target_read "$2/manifest.json" "$manifests/$2/manifest.json" ||
    fail UploadDamaged "the manifest of $2 went away while it was published: is somebody else at work in $BACKUP_FOLDER?"
}

target_point() { # MANIFEST
  target_write "$1" latest.json
}

target_get() { # BACKUP FILE TO
  store copyto "$root/$1/$2" "$3"
}

target_cat() { # PATH
  store cat "$root/$1"
}

# Removes the manifest first, so that half a backup is never seen.
target_remove() { # BACKUP
  local file
  file=$(jq -r .file "$manifests/$1/manifest.json")
  target_delete "$1/manifest.json"
  # A file name that leads elsewhere is not ours to remove.
  [[ ! $file =~ $DUMP_PATTERN ]] || target_delete "$1/$file"
}

# Saves a file that is no backup, which is kept until a person removes it.
target_save() { # FILE FOLDER
  store copyto "$1" "$root/$2/$(basename "$1")"
}

target_write() { # FILE PATH
  store "${send[@]}" "$1" "$root/$2"
}

# Fails when the file exists. In a store that does not support the condition, the file is looked for first.
target_create() { # FILE PATH
  if [[ ${knows_condition:-yes} == yes ]]; then
    rclone "${send[@]}" --header 'If-None-Match: *' "$1" "$root/$2" 2> "$work/stderr" && return 0
    case $(< "$work/stderr") in
      *PreconditionFailed* | *ConditionalRequestConflict* | *'status code: 412'* | *'status code: 409'*) return 1 ;;
      *NotImplemented* | *'status code: 501'*) knows_condition=no ;;
      *) diagnose ;;
    esac
  fi
  ! target_read "$2" "$work/there" || return 1
  target_write "$1" "$2"
}

# Whether the store refuses to create the lock, which exists, a second time.
target_create_is_exclusive() {
  ! target_create "$work/lock" .lock && [[ ${knows_condition:-yes} == yes ]] || {
    knows_condition=no
    return 1
  }
}

# Fails when the file does not exist. rclone may report nothing then, as it takes the path for an empty folder.
target_read() { # PATH TO
  rm -rf "$2"
  if rclone copyto --max-transfer 64Ki --cutoff-mode hard "$root/$1" "$2" 2> "$work/stderr"; then
    [[ -f $2 ]]
    return $?
  fi
  case $(< "$work/stderr") in
    *'max transfer limit'*)
      odd_file "$1" "it has more than 64 KiB"
      return 1
      ;;
    *NoSuchBucket*) diagnose ;;
    *NoSuchKey* | *'object not found'* | *'directory not found'* | *"doesn't exist"*) return 1 ;;
    *) diagnose ;;
  esac
}

# Prints when the file was written, as the store says it; a file that is rewritten has another time.
target_written() { # PATH
  store lsf --format t --include "/$1" "$root"
}

# Prints the age in seconds, by the clock of the store.
target_age() { # PATH
  local then now
  target_write "$work/lock" ".probe.$attempt_tag"
  now=$(store lsf --format t --include "/.probe.$attempt_tag" "$root")
  then=$(target_written "$1")
  rclone deletefile "$root/.probe.$attempt_tag" 2> "$work/stderr" || true
  echo $(($(date -u -d "$now" +%s) - $(date -u -d "${then:-$now}" +%s)))
}

# Succeeds also when the file is already gone.
target_delete() { # PATH
  rclone deletefile "$root/$1" 2> "$work/stderr" && return 0
  case $(< "$work/stderr") in
    *"doesn't exist"* | *NoSuchKey* | *'object not found'*) return 0 ;;
    *AccessDenied* | *Forbidden*) fail AccessDenied "these credentials may not remove ${1##*/} from bucket $S3_BUCKET: grant s3:DeleteObject; or, where the bucket itself removes what is old, set BACKUP_RETENTION=none: $(what_rclone_said)" ;;
    *) diagnose ;;
  esac
}

# Renews the lock, if this run has it.
target_beat() {
  timeout 20 rclone cat "$root/.lock" | cmp -s "$work/lock" - && timeout 20 rclone "${send[@]}" "$work/lock" "$root/.lock"
}
