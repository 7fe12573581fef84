#!/usr/bin/env bash
# Unpacks the newest archive of a volume as after a loss, and counts its files.
database=volume
dump_name=dump.tar.gz
# shellcheck source=../../../../solutions/backup/hooks/lib/drill.sh
source "${ENGINES:?}/lib/drill.sh"
# shellcheck source=files.sh
source "$(dirname "${BASH_SOURCE[0]}")/files.sh"

database_restore() { # FILE
  count_files "$1"
  expect_counted files "$counted"
  mkdir "$work/files"
  # As this user, who need not be the owner.
  try VerifyFailed "the archive cannot be unpacked" tar --extract --gzip --no-same-owner --file="$1" --directory="$work/files"
}

drill_hook "$@"
