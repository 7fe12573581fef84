#!/bin/sh
# Writes into each new Deployment who created it, by a JSON Patch in base64: the form of shell-operator.
set -eu

if [ "${1:-}" = --config ]; then
  cat <<'YAML'
configVersion: v1
kubernetesMutating:
  - name: creator.example.hooklet.dev
    rules:
      - {apiGroups: [apps], apiVersions: [v1], resources: [deployments], operations: [CREATE]}
    namespace: {labelSelector: {matchLabels: {example.hooklet.dev/defaults: "true"}}}
    timeoutSeconds: 5
YAML
  exit
fi

# The image has jq; an image without it uses that of hooklet.
command -v jq > /dev/null || jq() { hooklet jq "$@"; }

# A patch cannot write into what is not there, so the annotations are added as a whole.
jq -c '
  .[0].review.request
  | (.object.metadata.annotations // {}) + {"example.hooklet.dev/creator": .userInfo.username}
  | [{op: "add", path: "/metadata/annotations", value: .}]
  | {allowed: true, patch: (tojson | @base64)}
' "$BINDING_CONTEXT_PATH" > "$ADMISSION_RESPONSE_PATH"
