# shellcheck shell=bash
# What backups and restores have in common.
set -Eeuo pipefail
shopt -s inherit_errexit
umask 077
# Names are compared byte by byte, and what programs say is looked through.
export LC_ALL=C

lib=$(dirname "${BASH_SOURCE[0]}")
# shellcheck source=settings.sh
source "$lib/settings.sh"
# shellcheck source=report.sh
source "$lib/report.sh"
# shellcheck source=room.sh
source "$lib/room.sh"
# shellcheck source=encrypt.sh
source "$lib/encrypt.sh"
# shellcheck source=owner.sh
source "$lib/owner.sh"

# In the image there is jq; elsewhere that of hooklet serves.
command -v jq > /dev/null || jq() { hooklet jq "$@"; }

# What is backed up: Events are put on it. When it is first seen, all settings are tried out.
guarded_binding() {
  cat << YAML
kubernetes:
  - name: guarded
    apiVersion: apps/v1
    kind: ${BACKUP_OBJECT_KIND:-StatefulSet}
    namespace: {nameSelector: {matchNames: ["${POD_NAMESPACE:-default}"]}}
    nameSelector: {matchNames: ["${BACKUP_OBJECT_NAME:-$(default_name)}"]}
    executeHookOnEvent: []
    keepFullObjectsInMemory: false
    jqFilter: .metadata.uid
YAML
}

# Makes the scratch folder of this run, and the target ready to be used. What a killed run left in the folder goes.
open_target() { # FOLDER
  local folder=$BACKUP_SCRATCH/$1
  hold_folder "$folder"
  # The last one is made here and nowhere else: where others may write, too, it is ours or none.
  { rm -rf "$folder" && mkdir -p "$BACKUP_SCRATCH" && mkdir "$folder"; } || fail ScratchFailed "cannot write to $BACKUP_SCRATCH: mount a writable volume there, or set BACKUP_SCRATCH"
  work=$folder dump=$folder/$dump_name
  name_attempt
  # shellcheck source=target-volume.sh
  source "$lib/target-$BACKUP_TARGET.sh"
}

# Another operator of this machine that has the same folder would remove what is written there. The lock is beside it, as
# the folder itself is made anew, and is held by the run alone: not by a server that it starts. Of a run that was killed
# some program may take a moment to end.
hold_folder() { # FOLDER
  mkdir -p "$1.run" && exec {folder_fd}< "$1.run" || fail ScratchFailed "cannot write to $BACKUP_SCRATCH: mount a writable volume there, or set BACKUP_SCRATCH"
  flock --timeout 5 "$folder_fd" || fail ScratchFailed "another run uses $1: two operators need two folders, set another BACKUP_SCRATCH"
}

# Who this is, and a word of letters for this attempt: what two attempts send never has the same name. It begins with
# eight letters that all attempts of this Pod have.
name_attempt() {
  holder=${POD_NAME:-$(uname -n)-$PPID}${POD_UID:+/$POD_UID}
  attempt_tag=$(sha256sum <<< "$holder" | letters)$(head -c 16 /dev/urandom | sha256sum | letters)
}

letters() {
  cut -c 1-8 | tr 0-9a-f a-p
}

# The names of the published backups of ours, oldest first. A clock was wrong where one is of a time to come: it is not
# taken for the newest as long as there is another.
list_backups() {
  local name soon
  soon=$(date -u -d '+1 minute' +%Y%m%dT%H%M%SZ)
  backups_in "$manifests" | while read -r name; do
    if [[ $name > $soon ]]; then echo "0 $name"; else echo "1 $name"; fi
  done | sort | cut -d ' ' -f 2
}

# The names of the dumps that were kept although they could not be verified, oldest first.
list_failed() {
  backups_in "$manifests/failed" | sort
}

# The file with the manifest of the newest one; nothing when there is none.
newest_manifest() {
  local newest
  newest=$(list_backups | tail -n 1)
  [[ -z $newest ]] || echo "$manifests/$newest/manifest.json"
}

# Ends the run because of a small file of the target that no backup has written, if it is needed.
odd_file() { # PATH WHY
  if [[ ${ignore_odd:-no} == yes ]]; then
    echo "$1 in $(target_describe) is ignored: $2"
  else
    fail TargetFailed "$1 in $(target_describe) was not written by a backup: $2: look who else writes there, and remove it"
  fi
}

# Writes lines to a file beside the folder of this run, at once.
remember() { # FILE LINE...
  local file=$1
  shift
  printf '%s\n' "$@" > "$work/remembered"
  mv -fT "$work/remembered" "$file"
}

stop_scratch() {
  [[ -n ${scratch_pid:-} ]] || return 0
  kill -s "${scratch_signal:-TERM}" "$scratch_pid" 2> /dev/null || true
  wait "$scratch_pid" 2> /dev/null || true
  scratch_pid=
}

step() {
  current_step=$1
  echo "step $1"
}

# Runs a program. When it fails the run does, for REASON, with ADVICE and what the program said.
try() { # REASON ADVICE COMMAND...
  local reason=$1 advice=$2
  shift 2
  "$@" 2> "$work/stderr" || fail "$reason" "$advice: $(how_it_ended $?)"
}

how_it_ended() { # EXIT-CODE
  (($1 <= 128)) || echo -n "it was ended by SIG$(kill -l "$1"); "
  last_words "$work/stderr"
}

# The end of what a program said; before it the first line that names an error, which a long statement may follow.
last_words() { # [FILE]
  local text first end
  text=$(tail -c 100000 "$@")
  end=$(tail -n 4 <<< "$text" | tr '\n' ' ' | tail -c 500)
  first=$(grep -m 1 -E '(ERROR|FATAL|PANIC|[Ee]rror):' <<< "$text" | cut -c 1-300) || first=''
  [[ -z $first || $end == *"$first"* ]] || echo -n "$first ... "
  echo "$end"
}
