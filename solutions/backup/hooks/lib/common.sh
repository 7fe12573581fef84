# shellcheck shell=bash
# What backups and restores have in common.
set -Eeuo pipefail
shopt -s inherit_errexit
umask 077
# Names are compared byte by byte, and the output of programs is matched against English patterns.
export LC_ALL=C

lib=${BASH_SOURCE[0]%/*}
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

# The image has jq; elsewhere the one in hooklet is used.
command -v jq > /dev/null || jq() { hooklet jq "$@"; }

# The object that is backed up, which Events are attached to. When it is first listed, all settings are checked.
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

# Creates the scratch folder of this run, and prepares the target. Whatever a killed run left in the folder is
# removed.
open_target() { # FOLDER
  local folder=$BACKUP_SCRATCH/$1
  hold_folder "$folder"
  # Without -p the last folder must be created by this run: where others can write too, it is ours or the run fails.
  { rm -rf "$folder" && mkdir -p "$BACKUP_SCRATCH" && mkdir "$folder"; } || fail ScratchFailed "cannot write to $BACKUP_SCRATCH: mount a writable volume there, or set BACKUP_SCRATCH"
  work=$folder dump=$folder/$dump_name
  name_attempt
  # shellcheck source=target-volume.sh
  source "$lib/target-$BACKUP_TARGET.sh"
}

# Locks the folder of a run: another operator on this machine with the same folder would remove what is written there.
# The lock is beside the folder, because the folder itself is recreated. Only the run holds the lock, not a server
# that it starts. Programs of a killed run may take a moment to end, hence the timeout.
hold_folder() { # FOLDER
  mkdir -p "$1.run" && exec {folder_fd}< "$1.run" || fail ScratchFailed "cannot write to $BACKUP_SCRATCH: mount a writable volume there, or set BACKUP_SCRATCH"
  flock --timeout 5 "$folder_fd" || fail ScratchFailed "another run uses $1: two operators need two folders, set another BACKUP_SCRATCH"
}

# Sets holder, the name of this operator, and attempt_tag, a word of letters for this attempt, so that files sent by
# two attempts never have the same name. Its first eight letters are the same for all attempts of this Pod.
name_attempt() {
  local sums
  holder=${POD_NAME:-$(uname -n)-$PPID}${POD_UID:+/$POD_UID}
  sums=$({ sha256sum <<< "$holder" && head -c 16 /dev/urandom | sha256sum; } | tr 0-9a-f a-p)
  attempt_tag=${sums:0:8} sums=${sums#*$'\n'}
  attempt_tag+=${sums:0:8}
}

# Prints the present time in UTC; most of what a small backup takes is the start of programs, so this starts none.
now_as() { # FORMAT [SECONDS]
  TZ=UTC printf "%($1)T\n" $((EPOCHSECONDS + ${2:-0}))
}

checksum_of() { # FILE
  local sum
  sum=$(sha256sum < "$1")
  echo "${sum%% *}"
}

# Prints the names of our published backups, oldest first. A backup with a time in the future was made while a clock
# was wrong: it comes first, so that it is not taken for the newest one as long as there is another.
list_backups() {
  local name soon past=()
  soon=$(now_as %Y%m%dT%H%M%SZ 60)
  backups_in "$manifests" | {
    while read -r name; do
      if [[ $name > $soon ]]; then echo "$name"; else past+=("$name"); fi
    done
    ((${#past[@]} == 0)) || printf '%s\n' "${past[@]}"
  }
}

# Prints the names of the dumps that were kept although they could not be verified, oldest first.
list_failed() {
  backups_in "$manifests/failed"
}

# Prints the path of the manifest of the newest backup, or nothing when there is none.
newest_manifest() {
  local newest
  newest=$(list_backups)
  [[ -z $newest ]] || echo "$manifests/${newest##*$'\n'}/manifest.json"
}

# Fails because of a small file in the target that no backup has written. With ignore_odd=yes it only logs this.
odd_file() { # PATH WHY
  if [[ ${ignore_odd:-no} == yes ]]; then
    echo "$1 in $(target_describe) is ignored: $2"
  else
    fail TargetFailed "$1 in $(target_describe) was not written by a backup: $2: look who else writes there, and remove it"
  fi
}

# Writes lines to a file beside the folder of this run, atomically.
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

# Runs a command. If it fails, the run fails for REASON, with ADVICE and the end of what the command printed.
try() { # REASON ADVICE COMMAND...
  local reason=$1 advice=$2
  shift 2
  "$@" 2> "$work/stderr" || fail "$reason" "$advice: $(how_it_ended $?)"
}

how_it_ended() { # EXIT-CODE
  (($1 <= 128)) || echo -n "it was ended by SIG$(kill -l "$1"); "
  last_words "$work/stderr"
}

# Prints the end of a program's output, and before it the first line with an error, which a long statement may follow.
last_words() { # [FILE]
  local text first end
  text=$(tail -c 100000 "$@")
  end=$(tail -n 4 <<< "$text" | tr '\n' ' ' | tail -c 500)
  first=$(grep -m 1 -E '(ERROR|FATAL|PANIC|[Ee]rror):' <<< "$text" | cut -c 1-300) || first=''
  [[ -z $first || $end == *"$first"* ]] || echo -n "$first ... "
  echo "$end"
}
