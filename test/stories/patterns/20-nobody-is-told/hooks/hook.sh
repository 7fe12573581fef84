#!/usr/bin/env bash
# An invalid image ends the run before it writes a status, so it looks as if it were still at work (etcd-operator
# PR#395, PR#374). Right: the status says what is wrong.
set -euo pipefail

if [[ ${1:-} == --config ]]; then
  cat <<'YAML'
configVersion: v1
kubernetes:
  - {name: clusters, group: all, apiVersion: example.dev/v1, kind: Cluster, jqFilter: "[.spec, .status]"}
YAML
  exit
fi

jq -c --arg variant "$VARIANT" '
  def merge($o; $s; $p): {operation: "MergePatch", apiVersion: $o.apiVersion, kind: $o.kind, namespace: $o.metadata.namespace, name: $o.metadata.name, mergePatch: $p} + (if $s == "" then {} else {subresource: $s} end);
  .[-1].snapshots | map_values(map(.object))
  | .clusters[]
  | (.spec.image | test("^[a-z0-9:./-]+$")) as $isValid
  | select($isValid or $variant != "bug")
  | merge(.; "status"; {status: {image: (if $isValid then .spec.image else null end), problem: (if $isValid then null else "spec.image is no image" end)}})
' "$BINDING_CONTEXT_PATH" > "$KUBERNETES_PATCH_PATH"
