#!/usr/bin/env bash
# Each attempt at a broken cluster makes another Pod (etcd-operator#1972 of CoreOS; kyma#398 counted 55). Right: a run
# that cannot work makes nothing.
set -euo pipefail

if [[ ${1:-} == --config ]]; then
  cat <<'YAML'
configVersion: v1
kubernetes:
  - {name: clusters, group: all, apiVersion: example.dev/v1, kind: Cluster}
YAML
  exit
fi

if etcdctl endpoint health > /dev/null; then exit; fi
[[ $VARIANT == bug ]] || exit 1
cat > "$KUBERNETES_PATCH_PATH" <<'YAML'
operation: Create
ignoreHookError: true
object:
  apiVersion: v1
  kind: Pod
  metadata: {generateName: probe-, namespace: default}
  spec: {containers: [{name: probe, image: probe}]}
YAML
exit 1
