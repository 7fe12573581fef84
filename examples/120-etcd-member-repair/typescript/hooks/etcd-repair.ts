// Replaces one failed member of an etcd StatefulSet by a new one, step by step, as ../../hooks/etcd-repair.sh does: they
// keep the same records and say the same, so that one can take over from the other.
import { defineHook, kubernetes, schedule } from 'hooklet';
import { Etcd } from './lib/etcd.ts';
import { observe, type ClaimSummary, type MarkerSummary, type PodSummary, type SetSummary } from './lib/observe.ts';
import { Outcome } from './lib/outcome.ts';
import { repairStep } from './lib/repair-step.ts';
import { PAUSE_ANNOTATION, readSettings, STATE_ANNOTATION } from './lib/settings.ts';

const settings = readSettings(process.env);
const common = {
  namespace: { nameSelector: { matchNames: [settings.namespace] } },
  allowFailure: true,
  queue: 'etcd-repair',
  group: 'etcd-repair',
} as const;

export default defineHook({
  bindings: {
    check: schedule(settings.crontab, {
      concurrency: 'skip',
      allowFailure: true,
      queue: 'etcd-repair',
      group: 'etcd-repair',
    }),
    statefulset: kubernetes<SetSummary>({
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      nameSelector: { matchNames: [settings.statefulset] },
      jqFilter: `{
        uid: .metadata.uid,
        resourceVersion: .metadata.resourceVersion,
        state: (.metadata.annotations["${STATE_ANNOTATION}"] // ""),
        annotated: (.metadata.annotations != null),
        paused: (.metadata.annotations["${PAUSE_ANNOTATION}"] // "" | . != "" and . != "false"),
        replicas: .spec.replicas,
        service: .spec.serviceName,
        claim: (.spec.volumeClaimTemplates[0].metadata.name // ""),
        rolling: (
          .status.updateRevision != .status.currentRevision
          or (.status.observedGeneration // 0) < .metadata.generation
        )
      }`,
      ...common,
    }),
    pods: kubernetes<PodSummary | null>({
      apiVersion: 'v1',
      kind: 'Pod',
      labelSelector: { matchExpressions: [{ key: 'statefulset.kubernetes.io/pod-name', operator: 'Exists' }] },
      jqFilter: `
        if any(.metadata.ownerReferences[]?; .kind == "StatefulSet" and .name == "${settings.statefulset}") then {
          name: .metadata.name,
          uid: .metadata.uid,
          deleting: (.metadata.deletionTimestamp != null),
          ready: any(.status.conditions[]?; .type == "Ready" and .status == "True"),
          outOfMemory: any(.status.containerStatuses[]?; (.state, .lastState).terminated.reason == "OOMKilled"),
          waitsFor: ([.status.containerStatuses[]?.state.waiting.reason // empty] | first // "")
        } else null end`,
      ...common,
    }),
    claims: kubernetes<ClaimSummary>({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      jqFilter: '{name: .metadata.name, uid: .metadata.uid, deleting: (.metadata.deletionTimestamp != null)}',
      ...common,
    }),
    marker: kubernetes<MarkerSummary>({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      nameSelector: { matchNames: [settings.marker] },
      jqFilter: '{state: .data.state}',
      ...common,
    }),
  },
  async run({ snapshots, patch, metric, log, signal }) {
    const present = <T>(items: readonly (T | null)[]): readonly T[] => items.filter((item) => item !== null);
    const [statefulset] = present(snapshots.statefulset);
    const etcd = new Etcd(settings, signal);
    if (statefulset === undefined) {
      log.error('there is no such StatefulSet', { namespace: settings.namespace, name: settings.statefulset });
      new Outcome(settings, undefined, { patch, metric, log }).reportMetrics();
      return;
    }
    const facts = await observe(settings, etcd, {
      statefulset,
      pods: present(present(snapshots.pods)),
      claims: present(snapshots.claims),
      marker: present(snapshots.marker)[0],
    });
    const outcome = new Outcome(settings, facts, { patch, metric, log });
    await repairStep({ settings, etcd, facts, outcome });
    outcome.write();
  },
});
