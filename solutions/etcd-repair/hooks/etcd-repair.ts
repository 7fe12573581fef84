// Replaces one failed member of an etcd StatefulSet by a new one: snapshot, remove, wipe, add as learner, promote.
// Every run examines the live cluster, does at most one step, and ends; its change triggers the next run.
import { defineHook, kubernetes, schedule } from 'hooklet';
import { Etcd } from './lib/etcd.ts';
import { Kubernetes } from './lib/kubernetes.ts';
import type { ClaimSummary, MarkerSummary, PodSummary, SetSummary } from './lib/facts.ts';
import { EVENT_SOURCE } from './lib/news.ts';
import { observe } from './lib/observe.ts';
import { Outcome } from './lib/outcome.ts';
import { requirePrograms } from './lib/programs.ts';
import { repairStep } from './lib/repair-step.ts';
import { PAUSE_ANNOTATION, readSettings, REPAIRS_ANNOTATION, STATE_ANNOTATION } from './lib/settings.ts';

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
        repairs: (.metadata.annotations["${REPAIRS_ANNOTATION}"] // ""),
        annotated: (.metadata.annotations != null),
        paused: (.metadata.annotations["${PAUSE_ANNOTATION}"] // "" | . != "" and . != "false"),
        replicas: .spec.replicas,
        service: .spec.serviceName,
        claim: (.spec.volumeClaimTemplates[0].metadata.name // ""),
        updates: {
          current: (.status.currentRevision // ""),
          update: (.status.updateRevision // ""),
          partition: (.spec.updateStrategy.rollingUpdate.partition // 0),
          isSeen: ((.status.observedGeneration // 0) >= .metadata.generation)
        }
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
          endsAt: (.metadata.deletionTimestamp // ""),
          node: (.spec.nodeName // ""),
          ready: any(.status.conditions[]?; .type == "Ready" and .status == "True"),
          containersReady: any(.status.conditions[]?; .type == "ContainersReady" and .status == "True"),
          outOfMemory: any(.status.containerStatuses[]?; (.state, .lastState).terminated.reason == "OOMKilled"),
          revision: (.metadata.labels["controller-revision-hash"] // ""),
          unschedulable: ([
            .status.conditions[]? | select(.type == "PodScheduled" and .status == "False") | .message // .reason
          ] | first // ""),
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
    events: kubernetes<string>({
      apiVersion: 'v1',
      kind: 'Event',
      fieldSelector: {
        matchExpressions: [
          { field: 'involvedObject.name', operator: 'Equals', value: settings.statefulset },
          { field: 'source', operator: 'Equals', value: EVENT_SOURCE },
        ],
      },
      jqFilter: '.metadata.name',
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
    requirePrograms(['etcdctl', 'etcdutl'], process.env['PATH'] ?? '');
    const present = <T>(items: readonly (T | null)[]): readonly T[] => items.filter((item) => item !== null);
    const [statefulset] = present(snapshots.statefulset);
    const etcd = new Etcd(settings, signal);
    if (statefulset === undefined) {
      const { namespace, statefulset: name } = settings;
      log.error(`there is no StatefulSet ${namespace}/${name}: set ETCD_STATEFULSET and POD_NAMESPACE`);
      new Outcome(settings, undefined, { patch, metric, log }).reportMetrics();
      return;
    }
    const facts = await observe(settings, etcd, {
      statefulset,
      pods: present(present(snapshots.pods)),
      claims: present(snapshots.claims),
      marker: present(snapshots.marker)[0],
      events: present(snapshots.events),
    });
    const outcome = new Outcome(settings, facts, { patch, metric, log });
    await repairStep({ settings, etcd, kubernetes: new Kubernetes(settings, signal), facts, outcome });
    outcome.write();
  },
});
