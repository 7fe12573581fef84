#!/usr/bin/env bash
# Dumps a PostgreSQL database every night, and keeps the last few dumps that can be read.
set -euo pipefail

if [[ ${1:-} == --config ]]; then
  cat <<YAML
configVersion: v1
schedule:
  - name: dump
    crontab: "${DUMP_CRONTAB:-0 3 * * *}"
    timeZone: Etc/UTC
    # Of the nights in which nothing ran, the last is made up for.
    missed: latest
settings:
  timeout: 6h
YAML
  exit
fi

fail() { echo "$*" >&2; exit 1; }
# The image has jq; an image without it uses that of hooklet.
command -v jq > /dev/null || jq() { hooklet jq "$@"; }

folder=${DUMP_DIR:-/dumps} keep=${DUMP_KEEP:-7}
[[ $keep =~ ^[1-9][0-9]{0,3}$ ]] || fail "DUMP_KEEP is \"$keep\", expected a number from 1 to 9999"
[[ -d $folder && -w $folder ]] || fail "DUMP_DIR is $folder, which is no folder to write to: mount a volume there"
umask 077
# What a night is called. Files of other names are not those of this hook: they are neither counted nor removed.
form=[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]T[0-9][0-9][0-9][0-9][0-9][0-9]Z

# The night names the dump, so another attempt, or an operator that comes after a crash, makes the same one.
night=$(jq -r 'last.scheduledAt | gsub("[-:]|[.][0-9]+"; "")' "$BINDING_CONTEXT_PATH")
dump=$folder/$night.dump partial=$folder/.partial-$night

if [[ ! -e $dump ]]; then
  # What killed runs left.
  rm -f "$folder"/.partial-$form
  pg_dump --format=custom --no-password --lock-wait-timeout=60s --file="$partial" || fail "pg_dump of ${PGDATABASE:-the database} failed"
  # A dump that cannot be read is none: the list of what is in it, and all of its data.
  [[ -n $(pg_restore --list "$partial") ]] || fail "there is nothing in the dump of this night"
  pg_restore --file=/dev/null "$partial" || fail "the dump of this night cannot be read to its end"
  # A file of this name is a whole dump: it is on the disk before it has the name.
  sync "$partial"
  mv "$partial" "$dump"
  sync "$folder"
fi

# Only now do older ones go, and never the one of this night, whatever the clock said before.
mapfile -t dumps < <(cd "$folder" && printf '%s\n' $form.dump | sort -r)
for old in "${dumps[@]:keep}"; do
  [[ $old == "$night.dump" ]] || rm -f "$folder/$old"
done

bytes=$(stat -c %s "$dump")
printf '{"name": "nightly_dump_%s", "action": "set", "value": %s}\n' \
  last_success_timestamp_seconds "$(date +%s)" last_size_bytes "$bytes" > "$METRICS_PATH"
kept=("$folder"/$form.dump)
echo "$night.dump has $bytes bytes, ${#kept[@]} kept"
