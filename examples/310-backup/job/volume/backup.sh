#!/usr/bin/env bash
# Backs up the files of a volume, VOLUME_PATH below SOURCE_DIR, as a compressed tar archive.
database=volume
dump_name=dump.tar.gz
# shellcheck source=../../../../solutions/backup/hooks/lib/backup.sh
source "${ENGINES:?}/lib/backup.sh"
# shellcheck source=files.sh
source "$(dirname "${BASH_SOURCE[0]}")/files.sh"

database_check() {
  local said
  [[ -d $files ]] || fail VolumeMissing "there is no folder $VOLUME_PATH in the volume: correct spec.source.volume.path"
  said=$(du -s -B1 "$files" 2> "$work/stderr") ||
    fail WrongUser "user $(id -u) may not read all of it: set spec.source.volume.runAsUser to the user that may: $(last_words "$work/stderr")"
  size_bytes=${said%%$'\t'*} restored_bytes=0
}

database_version() {
  tar --version | head -n 1
}

# A file that was changed while it was read makes the archive a mixture, which is no backup.
database_dump() { # FILE
  local code=0
  tar --create --gzip --numeric-owner --file="$1" --directory="$files" . 2> "$work/stderr" || code=$?
  ((code != 1)) || fail Incomplete "files were changed while they were read, so the archive is not of one moment: back up at a quiet time, or stop what writes there: $(last_words "$work/stderr")"
  ((code == 0)) || fail DumpFailed "tar cannot read all files: is spec.source.volume.runAsUser a user that may? $(how_it_ended "$code")"
}

database_verify() { # FILE
  count_files "$1"
  counts="{\"files\": $counted}" verified='read'
  [[ $BACKUP_VERIFY == yes ]] || return 0
  tar --diff --gzip --numeric-owner --file="$1" --directory="$files" > "$work/said" 2>&1 ||
    fail VerifyFailed "the archive is not what the volume holds: $(last_words "$work/said")"
  verified=yes
}

backup_hook "$@"
