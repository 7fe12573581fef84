#!/usr/bin/env bash
# Dumps a PostgreSQL database each night, and keeps the last dumps. The server and the database are those of PGHOST,
# PGDATABASE, PGUSER and PGPASSWORD.
source "${HOOKLET_SHELL_LIB:-/shell_lib.sh}"

folder=${BACKUP_DIR:-/tmp/backups}
keep=${BACKUP_KEEP:-7}

function __config__() {
  cat << YAML
configVersion: v1
schedule:
  - name: nightly
    crontab: "${BACKUP_CRONTAB:-30 2 * * *}"
    # A night that was missed, while no hooklet ran, is made up for.
    missed: latest
    concurrency: skip
settings:
  timeout: 1h
YAML
}

function __on_schedule::nightly() {
  local due name
  # The time of the tick, so that another attempt at it writes the same file.
  due=$(context::get scheduledAt)
  name=dump-${due//:/}.pgc
  mkdir -p "$folder"
  # Under another name until it is whole.
  pg_dump --format=custom --file="$folder/.$name.part"
  mv "$folder/.$name.part" "$folder/$name"
  echo "$name written"
  remove_old
}

function remove_old() {
  local dumps old
  shopt -u failglob
  shopt -s nullglob
  dumps=("$folder"/dump-*.pgc)
  ((${#dumps[@]} > keep)) || return 0
  # The names are in the order of their times.
  for old in "${dumps[@]:0:${#dumps[@]}-keep}"; do
    rm -- "$old"
    echo "${old##*/} removed"
  done
}

hook::run "$@"
