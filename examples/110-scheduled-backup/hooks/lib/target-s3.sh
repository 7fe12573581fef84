# shellcheck shell=bash
# Backups in an S3 bucket, in BACKUP_FOLDER:
#   BACKUP/{dump.ATTEMPT.…, manifest.json}     published: it has a manifest, which was written last
#   failed/BACKUP/                             the same of a dump that could not be verified
#   owner.json, .lock                          whose folder it is, and who is at work in it
#   latest.json                                the manifest of the newest one, for people
# shellcheck source=rclone.sh
source "$lib/rclone.sh"
root=backup:$S3_BUCKET/${S3_PREFIX:+$S3_PREFIX/}$BACKUP_FOLDER
# A folder that has BACKUP/manifest.json for each one that is published, with the time of that, after target_list.
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

# Which manifests are of backups: those in folders that have the name of one.
named="{{${BACKUP_PATTERN:1:-1}}}/manifest.json"
named=(--include "/$named" --include "/failed/$named")

# What a listing has that is there no more, as it lags or somebody removes it, is left out. So is what is too large for a
# manifest: it is told once.
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

# What no manifest speaks for, of runs that were killed: older than so many seconds, or of this Pod. Nothing else that may
# be in the bucket.
target_clean() { # SECONDS
  local written path folder oldest
  store lsf -R --files-only --format tp --separator '|' "$root" > "$work/files"
  # The lock was written a moment ago.
  oldest=$(sed -n 's/|\.lock$//p' "$work/files")
  oldest=$(date -u -d "${oldest:-now} UTC -$1 seconds" +'%F %T')
  # Afterwards, so that one that is published in between is seen.
  target_list
  while IFS='|' read -r written path; do
    folder=${path%/*}
    [[ $path == .incoming/* || $path == .probe.* || (${folder#failed/} =~ $BACKUP_PATTERN && ${path##*/} == dump.*) ]] || continue
    ! is_named "$folder" "${path##*/}" || continue
    [[ $path == *".${attempt_tag:0:8}"[a-p]* || $written < $oldest ]] || continue
    # Who may not remove it makes a backup all the same.
    if rclone deletefile "$root/$path" 2> "$work/stderr"; then
      echo "removed $path of a run that did not end"
    else
      echo "$path of a run that did not end cannot be removed: $(what_rclone_said)"
    fi
  done < "$work/files"
}

# Whether a manifest speaks for the file, or one that is too large to be read might.
is_named() { # FOLDER FILE
  ! grep -qxF "$1/manifest.json" "$work/large" || return 0
  [[ -s $manifests/$1/manifest.json && $(< "$manifests/$1/manifest.json") == *"\"file\":\"$2\""* ]]
}

# Under a name of its own, so that no other attempt at this run writes to it or takes it away.
target_put() { # FILE
  stored_name=dump.$attempt_tag.${dump_name#dump.}
  stored_path=${stored_in:-}$backup/$stored_name
  store "${send[@]}" "$1" "$root/$stored_path"
}

# A bucket has no size of its own.
target_expect_room() { # BYTES WHAT
  :
}

# As it is read at a restore.
target_checksum() { # PATH
  store cat "$root/$1" | sha256sum | cut -d ' ' -f 1
}

# Prints nothing when it is not there.
target_size() { # PATH
  store lsf --format s --include "/${1##*/}" "$root/${1%/*}"
}

target_publish() { # MANIFEST TO
  target_create "$1" "$2/manifest.json" || echo "another attempt has published $2 meanwhile"
  target_list
  # A listing that lags does not have it yet.
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

# The manifest first, so that half a backup is never seen.
target_remove() { # BACKUP
  local file
  file=$(jq -r .file "$manifests/$1/manifest.json")
  target_delete "$1/manifest.json"
  # One that leads elsewhere is none of ours to remove.
  [[ ! $file =~ $DUMP_PATTERN ]] || target_delete "$1/$file"
}

# Something else than a backup, to be kept until a person removes it.
target_save() { # FILE FOLDER
  store copyto "$1" "$root/$2/$(basename "$1")"
}

target_write() { # FILE PATH
  store "${send[@]}" "$1" "$root/$2"
}

# Fails when there is one. A store that does not know the condition is asked to look first.
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

# Whether the lock, which is there, is refused to be written a second time.
target_create_is_exclusive() {
  ! target_create "$work/lock" .lock && [[ ${knows_condition:-yes} == yes ]] || {
    knows_condition=no
    return 1
  }
}

# Fails when there is none; of that rclone may say nothing, as it takes it for an empty folder.
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

# When it was written, in words of the store; they differ when it was written again.
target_written() { # PATH
  store lsf --format t --include "/$1" "$root"
}

# By the clock of the store.
target_age() { # PATH
  local then now
  target_write "$work/lock" ".probe.$attempt_tag"
  now=$(store lsf --format t --include "/.probe.$attempt_tag" "$root")
  then=$(target_written "$1")
  rclone deletefile "$root/.probe.$attempt_tag" 2> "$work/stderr" || true
  echo $(($(date -u -d "$now" +%s) - $(date -u -d "${then:-$now}" +%s)))
}

# Somebody else may have removed it.
target_delete() { # PATH
  rclone deletefile "$root/$1" 2> "$work/stderr" && return 0
  case $(< "$work/stderr") in
    *"doesn't exist"* | *NoSuchKey* | *'object not found'*) return 0 ;;
    *AccessDenied* | *Forbidden*) fail AccessDenied "these credentials may not remove ${1##*/} from bucket $S3_BUCKET: grant s3:DeleteObject; or, where the bucket itself removes what is old, set BACKUP_RETENTION=none: $(what_rclone_said)" ;;
    *) diagnose ;;
  esac
}

# Says that this run is alive, in the lock, if it has it.
target_beat() {
  timeout 20 rclone cat "$root/.lock" | cmp -s "$work/lock" - && timeout 20 rclone "${send[@]}" "$work/lock" "$root/.lock"
}
