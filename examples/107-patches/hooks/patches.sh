#!/bin/sh
# Shows every operation a hook can ask for, on ConfigMaps, whenever the ConfigMap "playground" appears or changes.
set -eu

namespace=${POD_NAMESPACE:-default}

if [ "${1:-}" = --config ]; then
  cat <<YAML
configVersion: v1
kubernetes:
  - name: playground
    apiVersion: v1
    kind: ConfigMap
    namespace: {nameSelector: {matchNames: ["$namespace"]}}
    nameSelector: {matchNames: [playground]}
    executeHookOnEvent: [Added, Modified]
    # Excludes the annotation that is written below, so that write is no event.
    jqFilter: '{uid: .metadata.uid, data}'
    keepFullObjectsInMemory: false
YAML
  exit
fi

# The image has jq; an image without it uses that of hooklet.
command -v jq > /dev/null || jq() { hooklet jq "$@"; }

# The objects of all contexts: a Synchronization has the existing ones, an event the one that changed. Into a variable
# first, because a failure inside the line of the loop would go unnoticed.
uids=$(jq -r '[.[] | (.objects // [.])[].filterResult.uid] | unique[]' "$BINDING_CONTEXT_PATH")
for uid in $uids; do
  # YAML documents, or JSON objects one after another; applied in this order, after the hook has succeeded.
  cat >> "$KUBERNETES_PATCH_PATH" <<YAML
---
# A new one for each run, also for one that is repeated. Its owner is the playground, with which it is deleted.
operation: Create
object:
  apiVersion: v1
  kind: ConfigMap
  metadata:
    generateName: run-
    namespace: $namespace
    labels: {example.hooklet.dev/part-of: patches}
    ownerReferences:
      - {apiVersion: v1, kind: ConfigMap, name: playground, uid: $uid}
---
# Created once; changes by others stay.
operation: CreateIfNotExists
object:
  apiVersion: v1
  kind: ConfigMap
  metadata: {name: counter, namespace: $namespace}
  data: {runs: "0"}
---
# Created, or replaced by exactly this.
operation: CreateOrUpdate
object:
  apiVersion: v1
  kind: ConfigMap
  metadata: {name: report, namespace: $namespace}
  data: {state: written}
---
# Server-side apply: only these fields are ours, others may own more of the same object.
operation: Apply
fieldManager: patches-example
force: true
object:
  apiVersion: v1
  kind: ConfigMap
  metadata: {name: shared, namespace: $namespace}
  data: {ours: "yes"}
---
operation: MergePatch
apiVersion: v1
kind: ConfigMap
namespace: $namespace
name: playground
mergePatch:
  metadata:
    annotations: {example.hooklet.dev/seen: "yes"}
---
# Not in report, which the operation above would write back at the next run.
operation: JSONPatch
apiVersion: v1
kind: ConfigMap
namespace: $namespace
name: shared
jsonPatch:
  - {op: add, path: /data/checked, value: "yes"}
---
# Reads the object, runs the filter on it, and writes the result back. This counts runs, not changes of the playground.
operation: JQPatch
apiVersion: v1
kind: ConfigMap
namespace: $namespace
name: counter
jqFilter: .data.runs |= (tonumber + 1 | tostring)
---
operation: MergePatch
apiVersion: v1
kind: ConfigMap
namespace: $namespace
name: not-there
ignoreMissingObject: true
mergePatch:
  data: {ignored: "yes"}
---
# Waits until the object and its dependents are gone.
operation: Delete
apiVersion: v1
kind: ConfigMap
namespace: $namespace
name: old-with-children
---
# Its dependents are deleted later.
operation: DeleteInBackground
apiVersion: v1
kind: ConfigMap
namespace: $namespace
name: old-in-background
---
# Its dependents stay.
operation: DeleteNonCascading
apiVersion: v1
kind: ConfigMap
namespace: $namespace
name: old-alone
YAML
done
echo "asked for $(grep -c '^operation:' "$KUBERNETES_PATCH_PATH") changes"
