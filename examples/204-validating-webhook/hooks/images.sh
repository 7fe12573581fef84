#!/bin/sh
# Refuses Deployments with images of registries that are not in the ConfigMap "registries".
set -eu

if [ "${1:-}" = --config ]; then
  cat <<YAML
configVersion: v1
kubernetesValidating:
  - name: images.example.hooklet.dev
    rules:
      - {apiGroups: [apps], apiVersions: [v1], resources: [deployments], operations: [CREATE, UPDATE]}
    # Only namespaces with this label are asked about.
    namespace: {labelSelector: {matchLabels: {example.hooklet.dev/images: checked}}}
    includeSnapshotsFrom: [registries]
    timeoutSeconds: 5
kubernetes:
  - name: registries
    apiVersion: v1
    kind: ConfigMap
    namespace: {nameSelector: {matchNames: ["${POD_NAMESPACE:-default}"]}}
    nameSelector: {matchNames: [registries]}
    # Watched, but never triggers a run.
    executeHookOnSynchronization: false
    executeHookOnEvent: []
    jqFilter: .data.allowed // "" | split("\n") | map(select(. != ""))
    keepFullObjectsInMemory: false
YAML
  exit
fi

# The image has jq; an image without it uses that of hooklet.
command -v jq > /dev/null || jq() { hooklet jq "$@"; }

# A request is one run with one context. The one who sent it sees the message, or the warnings.
jq -c '
  .[0]
  | [.snapshots.registries[].filterResult[]] as $allowed
  | [.review.request.object.spec.template.spec | ((.initContainers // []) + .containers)[].image] as $images
  | [$images[] | select(any($allowed[] as $prefix | startswith($prefix); .) | not)] as $foreign
  | {
      allowed: ($foreign == []),
      message: "\($foreign | join(", ")): take images of \($allowed | join(" or "))",
      warnings: [$images[] | select(test("(^|/)[^:@/]*$|:latest$")) | "\(.): a fixed tag would keep it from changing"]
    }
  | if .allowed then del(.message) else . end
' "$BINDING_CONTEXT_PATH" > "$ADMISSION_RESPONSE_PATH"
