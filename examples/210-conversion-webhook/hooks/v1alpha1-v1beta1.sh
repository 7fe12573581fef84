#!/bin/sh
# Converts Timers between v1alpha1 and v1beta1: v1alpha1 has the time zone in the text of the schedule.
set -eu

if [ "${1:-}" = --config ]; then
  cat <<'YAML'
configVersion: v1
kubernetesCustomResourceConversion:
  - name: alpha-beta
    crdName: timers.example.hooklet.dev
    conversions:
      - {fromVersion: v1alpha1, toVersion: v1beta1}
      - {fromVersion: v1beta1, toVersion: v1alpha1}
YAML
  exit
fi

# The image has jq; an image without it uses that of hooklet.
command -v jq > /dev/null || jq() { hooklet jq "$@"; }

jq -c '
  def parted: .spec |= del(.when) + (.when | capture("^(TZ=(?<timeZone>\\S+) +)?(?<crontab>.*)$") | map_values(values));
  def joined: .spec |= del(.timeZone, .crontab) + {when: (if .timeZone then "TZ=\(.timeZone) \(.crontab)" else .crontab end)};
  .[0] as {$toVersion, $review}
  | {convertedObjects: [
      $review.request.objects[]
      | if $toVersion == "v1beta1" then parted else joined end
      | .apiVersion = "example.hooklet.dev/\($toVersion)"
    ]}
' "$BINDING_CONTEXT_PATH" > "$CONVERSION_RESPONSE_PATH"
