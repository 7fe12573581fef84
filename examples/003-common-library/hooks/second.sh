#!/bin/sh
# Uses the same functions, and runs after first.sh: 2 comes after 1.
set -eu
. "$(dirname "$0")/lib/functions.sh"

if [ "${1:-}" = --config ]; then
  cat <<'YAML'
configVersion: v1
onStartup: 2
YAML
  exit
fi

handle() {
  say "also called for $(field "$1" .binding)"
}

for_each_context handle
