#!/bin/sh
# Converts Timers between v1beta1 and v1: v1 has an object for the schedule.
set -eu

if [ "${1:-}" = --config ]; then
  cat <<'YAML'
configVersion: v1
kubernetesCustomResourceConversion:
  - name: beta-stable
    crdName: timers.example.hooklet.dev
    conversions:
      - {fromVersion: v1beta1, toVersion: v1}
      - {fromVersion: v1, toVersion: v1beta1}
YAML
  exit
fi

# The image has jq; an image without it uses that of hooklet.
command -v jq > /dev/null || jq() { hooklet jq "$@"; }

jq -c '
  def nested: .spec |= del(.crontab, .timeZone) + {schedule: ({crontab, timeZone} | map_values(values))};
  def flat: .spec |= del(.schedule) + .schedule;
  .[0] as {$toVersion, $review}
  | {convertedObjects: [
      $review.request.objects[]
      | if $toVersion == "v1" then nested else flat end
      | .apiVersion = "example.hooklet.dev/\($toVersion)"
    ]}
' "$BINDING_CONTEXT_PATH" > "$CONVERSION_RESPONSE_PATH"
