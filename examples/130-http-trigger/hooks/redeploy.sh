#!/bin/sh
# Restarts the Deployments of a repository when GitHub reports a push to its main branch.
set -eu

namespace=${POD_NAMESPACE:-default}

if [ "${1:-}" = --config ]; then
  cat <<YAML
configVersion: v1
http:
  - name: push
    authentication: {type: github, secretFile: "${GITHUB_SECRET_FILE:-/etc/github/secret}"}
    includeSnapshotsFrom: [deployments]
kubernetes:
  - name: deployments
    apiVersion: apps/v1
    kind: Deployment
    namespace: {nameSelector: {matchNames: ["$namespace"]}}
    labelSelector: {matchExpressions: [{key: example.hooklet.dev/repository, operator: Exists}]}
    # Watched, but never triggers a run.
    executeHookOnSynchronization: false
    executeHookOnEvent: []
    jqFilter: '{name: .metadata.name, repository: .metadata.labels["example.hooklet.dev/repository"]}'
    keepFullObjectsInMemory: false
YAML
  exit
fi

# The image has jq; an image without it uses that of hooklet.
command -v jq > /dev/null || jq() { hooklet jq "$@"; }

# GitHub also sends a ping, and pushes to other branches: they change nothing. The time is that of the request, so a run
# that is tried again restarts nothing twice.
jq -c --arg namespace "$namespace" --arg ref "${PUSHED_REF:-refs/heads/main}" '
  .[]
  | select(.type == "Http" and .request.headers["x-github-event"] == "push" and .request.json.ref == $ref)
  | .request.json.repository.name as $repository
  | .receivedAt as $at
  | .snapshots.deployments[].filterResult
  | select(.repository == $repository)
  | {
      operation: "MergePatch", apiVersion: "apps/v1", kind: "Deployment", $namespace, name,
      # Deleted since.
      ignoreMissingObject: true,
      mergePatch: {spec: {template: {metadata: {annotations: {"kubectl.kubernetes.io/restartedAt": $at}}}}}
    }
' "$BINDING_CONTEXT_PATH" > "$KUBERNETES_PATCH_PATH"

jq -r '"restarting \(.name)"' "$KUBERNETES_PATCH_PATH"
