#!/usr/bin/env bash
# A member is added and then the StatefulSet is scaled; killed between the two, the next run adds another member (etcd-
# operator#26). Right: the members that there are count.
set -euo pipefail

if [[ ${1:-} == --config ]]; then
  cat <<'YAML'
configVersion: v1
kubernetes:
  - {name: clusters, group: all, apiVersion: example.dev/v1, kind: Cluster}
  - {name: members, group: all, apiVersion: v1, kind: ConfigMap, nameSelector: {matchNames: [members]}}
  - {name: sets, group: all, apiVersion: apps/v1, kind: StatefulSet}
YAML
  exit
fi

jq -c --arg variant "$VARIANT" '
  def merge($o; $s; $p): {operation: "MergePatch", apiVersion: $o.apiVersion, kind: $o.kind, namespace: $o.metadata.namespace, name: $o.metadata.name, mergePatch: $p} + (if $s == "" then {} else {subresource: $s} end);
  .[-1].snapshots | map_values(map(.object))
  | .members[0] as $members
  | .sets[0] as $set
  | ($members.data | length) as $count
  | .clusters[]
  | .spec.size as $size
  | merge($members; ""; {data: {"member-\($count)": "http://db-\($count)"}}) as $add
  | merge($set; ""; {spec: {replicas: ($set.spec.replicas + 1)}}) as $scale
  | if $variant == "bug"
    then select($set.spec.replicas < $size) | $add, $scale
    else (select($count < $size) | $add), (select($set.spec.replicas < $size) | $scale)
    end
' "$BINDING_CONTEXT_PATH" > "$KUBERNETES_PATCH_PATH"
