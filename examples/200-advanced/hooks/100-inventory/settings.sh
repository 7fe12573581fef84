#!/bin/sh
# Makes the settings of the inventory at the first start; what somebody changed since stays.
set -eu
. "$(dirname "$0")/../lib/functions.sh"

if [ "${1:-}" = --config ]; then
  cat <<'YAML'
configVersion: v1
onStartup: 10
YAML
  exit
fi

echo '{"title": "Inventory"}' | put_configmap CreateIfNotExists inventory-settings
echo "settings"
