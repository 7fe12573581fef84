#!/bin/sh
# Runs once at the start: creates the settings that the other hooks read, and fails without a folder for backups.
set -eu

if [ "${1:-}" = --config ]; then
  echo '{"configVersion": "v1", "onStartup": 1}'
  exit
fi

# The image has jq; an image without it uses that of hooklet.
command -v jq > /dev/null || jq() { hooklet jq "$@"; }

# Backups contain Secrets: only this user may read the folder.
umask 077
folder=${BACKUP_DIR:-/tmp/hooklet-backups}
namespace=${SETTINGS_NAMESPACE:-default}

if ! mkdir -p "$folder" || ! [ -w "$folder" ]; then
  echo "cannot write backups to $folder: mount a writable volume there, or set BACKUP_DIR" >&2
  exit 1
fi

# Created only if it is missing, so that changes by a person stay.
jq -n -c --arg namespace "$namespace" '{
  operation: "CreateIfNotExists",
  object: {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {name: "hooklet-settings", namespace: $namespace},
    data: {keepBackups: "3"}
  }
}' > "$KUBERNETES_PATCH_PATH"
echo "backups go to $folder, settings are in ConfigMap $namespace/hooklet-settings"
