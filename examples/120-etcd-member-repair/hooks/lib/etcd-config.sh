# shellcheck shell=bash
# What the hook is bound to.

# One group: whatever happens, the hook runs once and looks at everything. A failed run is not repeated as it was:
# whatever made it fail, the next tick or event decides anew.
print_config() {
  cat << YAML
configVersion: v1
schedule:
  - name: check
    crontab: "$CRONTAB"
    concurrency: skip
    allowFailure: true
    queue: etcd-repair
    group: etcd-repair
kubernetes:
  - name: statefulset
    apiVersion: apps/v1
    kind: StatefulSet
    nameSelector: {matchNames: ["$STATEFULSET"]}
    jqFilter: |
      {
        uid: .metadata.uid,
        resourceVersion: .metadata.resourceVersion,
        state: (.metadata.annotations["$STATE_ANNOTATION"] // ""),
        annotated: (.metadata.annotations != null),
        paused: (.metadata.annotations["$PAUSE_ANNOTATION"] // "" | . != "" and . != "false"),
        replicas: .spec.replicas,
        service: .spec.serviceName,
        claim: (.spec.volumeClaimTemplates[0].metadata.name // ""),
        rolling: (
          .status.updateRevision != .status.currentRevision
          or (.status.observedGeneration // 0) < .metadata.generation
        )
      }
    $(binding)
  - name: pods
    apiVersion: v1
    kind: Pod
    labelSelector: {matchExpressions: [{key: statefulset.kubernetes.io/pod-name, operator: Exists}]}
    jqFilter: |
      if any(.metadata.ownerReferences[]?; .kind == "StatefulSet" and .name == "$STATEFULSET") then {
        name: .metadata.name,
        uid: .metadata.uid,
        deleting: (.metadata.deletionTimestamp != null),
        ready: any(.status.conditions[]?; .type == "Ready" and .status == "True"),
        outOfMemory: any(.status.containerStatuses[]?; (.state, .lastState).terminated.reason == "OOMKilled"),
        waitsFor: ([.status.containerStatuses[]?.state.waiting.reason // empty] | first // "")
      } else null end
    $(binding)
  - name: claims
    apiVersion: v1
    kind: PersistentVolumeClaim
    jqFilter: '{name: .metadata.name, uid: .metadata.uid, deleting: (.metadata.deletionTimestamp != null)}'
    $(binding)
  - name: marker
    apiVersion: v1
    kind: ConfigMap
    nameSelector: {matchNames: ["$MARKER"]}
    jqFilter: '{state: .data.state}'
    $(binding)
YAML
}

binding() {
  cat << YAML
namespace: {nameSelector: {matchNames: ["$NAMESPACE"]}}
    keepFullObjectsInMemory: false
    allowFailure: true
    queue: etcd-repair
    group: etcd-repair
YAML
}
