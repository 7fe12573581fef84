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

# In the image there is jq; elsewhere that of hooklet serves.
command -v jq > /dev/null || jq() { hooklet jq "$@"; }

# Makes the scratch folder of this run, and the target ready to be used. What a killed run left in the folder goes.
open_target() { # FOLDER
  local folder=$BACKUP_SCRATCH/$1
  # The last one is made here and nowhere else: where others may write, too, it is ours or none.
  { rm -rf "$folder" && mkdir -p "$BACKUP_SCRATCH" && mkdir "$folder"; } || fail ScratchFailed "cannot write to $BACKUP_SCRATCH: mount a writable volume there, or set BACKUP_SCRATCH"
  work=$folder dump=$folder/$dump_name
  # shellcheck source=target-volume.sh
  source "$lib/target-$BACKUP_TARGET.sh"
}

# The names of the published backups of ours, oldest first. A clock was wrong where one is of a time to come: it is not
# taken for the newest as long as there is another.
list_backups() {
  local manifest name soon
  soon=$(date -u -d '+1 hour' +%Y%m%dT%H%M%SZ)
  for manifest in "$manifests"/*/manifest.json; do
    name=${manifest%/manifest.json} name=${name##*/}
    [[ $name =~ $BACKUP_PATTERN ]] || continue
    grep -qF "{\"format\":\"$BACKUP_FORMAT\",\"database\":\"$database\",\"backup\":\"$name\"," "$manifest" || continue
    if [[ $name > $soon ]]; then echo "0 $name"; else echo "1 $name"; fi
  done | sort | cut -d ' ' -f 2
}

# The file with the manifest of the newest one; nothing when there is none.
newest_manifest() {
  local newest
  newest=$(list_backups | tail -n 1)
  [[ -z $newest ]] || echo "$manifests/$newest/manifest.json"
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

# Runs a program. When it fails the run does, for REASON, with ADVICE and the end of what the program said.
try() { # REASON ADVICE COMMAND...
  local reason=$1 advice=$2
  shift 2
  "$@" 2> "$work/stderr" || fail "$reason" "$advice: $(how_it_ended $?)"
}

how_it_ended() { # EXIT-CODE
  (($1 <= 128)) || echo -n "it was ended by SIG$(kill -l "$1"); "
  last_words "$work/stderr"
}

last_words() { # [FILE]
  tail -n 4 "$@" | tr '\n' ' ' | tail -c 500
}
