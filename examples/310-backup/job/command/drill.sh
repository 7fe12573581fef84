#!/usr/bin/env bash
# Brings the newest dump of a command back from the target, decrypts it, and compares it with its manifest.
database=command
dump_name=dump.out
# shellcheck source=../../../../solutions/backup/hooks/lib/drill.sh
source "${ENGINES:?}/lib/drill.sh"

database_settings() { :; }

database_restore() { # FILE
  expect_counted bytes "$(stat -c %s "$1")"
}

drill_hook "$@"
