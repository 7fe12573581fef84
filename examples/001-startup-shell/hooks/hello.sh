#!/bin/sh
# Runs once, when the operator starts.
set -eu

if [ "${1:-}" = --config ]; then
  cat <<'YAML'
configVersion: v1
onStartup: 10
YAML
  exit
fi

echo "hello, the operator has started"
