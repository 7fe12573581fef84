# shellcheck shell=bash
# What backups and restores have in common.
set -Eeuo pipefail
shopt -s inherit_errexit
umask 077

lib=$(dirname "${BASH_SOURCE[0]}")
# shellcheck source=settings.sh
source "$lib/settings.sh"
# shellcheck source=report.sh
source "$lib/report.sh"

# In the image there is jq; elsewhere that of hooklet serves.
command -v jq > /dev/null || jq() { hooklet jq "$@"; }

# Makes the scratch folder of this run, and the target ready to be used. What a killed run left in the folder goes.
open_target() { # FOLDER
  work=$BACKUP_SCRATCH/$1
  rm -rf "$work"
  mkdir -p "$work" || fail ScratchFailed "cannot write to $BACKUP_SCRATCH: mount a writable volume there, or set BACKUP_SCRATCH"
  dump=$work/$dump_name
  # shellcheck source=target-volume.sh
  source "$lib/target-$BACKUP_TARGET.sh"
}

# The names of the published backups of ours.
list_backups() {
  local folder manifest name
  folder=$(target_manifests)
  for manifest in "$folder"/*/manifest.json; do
    name=$(basename "$(dirname "$manifest")")
    [[ $name =~ $BACKUP_PATTERN ]] || continue
    grep -qF "{\"format\":\"$BACKUP_FORMAT\",\"database\":\"$database\",\"backup\":\"$name\"," "$manifest" || continue
    echo "$name"
  done
}

# The file with the manifest of the newest one; nothing when there is none.
newest_manifest() {
  local newest
  newest=$(list_backups | sort | tail -n 1)
  [[ -z $newest ]] || echo "$(target_manifests)/$newest/manifest.json"
}

stop_scratch() {
  [[ -n ${scratch_pid:-} ]] || return 0
  kill -INT "$scratch_pid" 2> /dev/null || true
  wait "$scratch_pid" 2> /dev/null || true
  scratch_pid=
}

step() {
  current_step=$1
  echo "step $1"
}

# Runs a program. When it fails the run does, for REASON, with ADVICE and the end of what the program said.
try() { # REASON ADVICE COMMAND...
  local reason=$1 advice=$2
  shift 2
  "$@" 2> "$work/stderr" || fail "$reason" "$advice: $(last_words "$work/stderr")"
}

last_words() { # [FILE]
  tail -n 4 "$@" | tr '\n' ' ' | tail -c 500
}
