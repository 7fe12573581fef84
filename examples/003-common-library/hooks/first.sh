#!/bin/sh
# Uses the functions in lib/functions.sh.
set -eu
. "$(dirname "$0")/lib/functions.sh"

if [ "${1:-}" = --config ]; then
  cat <<'YAML'
configVersion: v1
onStartup: 1
YAML
  exit
fi

handle() {
  say "called for $(field "$1" .binding)"
}

for_each_context handle
