#!/bin/sh
# Says where it came from, once.
set -eu

if [ "${1:-}" = --config ]; then
  echo '{"configVersion": "v1", "onStartup": 1}'
  exit
fi

echo "hello from a ConfigMap"
