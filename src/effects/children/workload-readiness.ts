import {
  conditionOf,
  failed,
  inProgress,
  numberAt,
  ready,
  recordAt,
  textAt,
  type Readiness,
} from './readiness-values.ts';
import type { JsonObject } from '../../lib/json-object.ts';

/** A Deployment is ready when the wanted replicas run its latest template, are available, and no others are left. */
export function deploymentReadiness(object: JsonObject): Readiness {
  const progressing = conditionOf(object, 'Progressing');
  if (progressing?.reason === 'ProgressDeadlineExceeded') return failed(progressing.reason, progressing.message);
  const { wanted, count } = replicasOf(object);
  const [updated, present] = [count('updatedReplicas'), count('replicas')];
  return (
    notSeen(object) ??
    tooFew('LessReplicas', { have: present, of: wanted, what: 'replicas exist' }) ??
    tooFew('LessUpdated', { have: updated, of: wanted, what: 'replicas are updated' }) ??
    tooMany(present, wanted) ??
    tooFew('LessAvailable', { have: count('availableReplicas'), of: updated, what: 'replicas are available' }) ??
    tooFew('LessReady', { have: count('readyReplicas'), of: wanted, what: 'replicas are ready' }) ??
    unavailable(object) ??
    ready(`${wanted} of ${wanted} replicas are available`)
  );
}

function unavailable(object: JsonObject): Readiness | undefined {
  const available = conditionOf(object, 'Available');
  if (available === undefined || available.status === 'True') return undefined;
  return inProgress(available.reason || 'NotAvailable', available.message || 'is not available');
}

/** A StatefulSet is ready when the wanted replicas are ready and at its update revision, as far as a partition lets them. */
export function statefulSetReadiness(object: JsonObject): Readiness {
  const { spec, status, wanted, count } = replicasOf(object);
  const strategy = recordAt(spec, 'updateStrategy');
  if (textAt(strategy, 'type') === 'OnDelete') return ready('is there, and its Pods are updated when they are deleted');
  const counted =
    notSeen(object) ??
    tooFew('LessReplicas', { have: count('replicas'), of: wanted, what: 'replicas exist' }) ??
    tooFew('LessReady', { have: count('readyReplicas'), of: wanted, what: 'replicas are ready' }) ??
    tooMany(count('replicas'), wanted);
  if (counted !== undefined) return counted;
  const partition = numberAt(recordAt(strategy, 'rollingUpdate'), 'partition') ?? 0;
  if (partition > 0) {
    const of = Math.max(0, wanted - partition);
    const behind = tooFew('PartitionRollout', { have: count('updatedReplicas'), of, what: 'replicas are updated' });
    return behind ?? ready(`the ${of} replicas beyond its partition are updated`);
  }
  if (textAt(status, 'currentRevision') === textAt(status, 'updateRevision')) {
    return ready(`${wanted} of ${wanted} replicas are ready`);
  }
  return inProgress('RevisionMismatch', `${count('updatedReplicas')} of ${wanted} replicas are updated`);
}

/** A DaemonSet is ready when a Pod of its latest template is available on each node that should have one. */
export function daemonSetReadiness(object: JsonObject): Readiness {
  const status = recordAt(object, 'status');
  const of = numberAt(status, 'desiredNumberScheduled');
  if (of === undefined) return inProgress('NoDesiredNumber', 'its controller has not counted the nodes');
  const count = (key: string): number => numberAt(status, key) ?? 0;
  return (
    notSeen(object) ??
    tooFew('LessCurrent', { have: count('currentNumberScheduled'), of, what: 'nodes have a Pod' }) ??
    tooFew('LessUpdated', { have: count('updatedNumberScheduled'), of, what: 'Pods are updated' }) ??
    tooFew('LessAvailable', { have: count('numberAvailable'), of, what: 'Pods are available' }) ??
    tooFew('LessReady', { have: count('numberReady'), of, what: 'Pods are ready' }) ??
    ready(`${of} of ${of} Pods are available`)
  );
}

/** A ReplicaSet is ready when the wanted replicas are available and no others are left. */
export function replicaSetReadiness(object: JsonObject): Readiness {
  const failure = conditionOf(object, 'ReplicaFailure');
  if (failure?.status === 'True') return inProgress(failure.reason || 'ReplicaFailure', failure.message);
  const { wanted, count } = replicasOf(object);
  return (
    notSeen(object) ??
    tooFew('LessLabelled', { have: count('fullyLabeledReplicas'), of: wanted, what: 'replicas have all labels' }) ??
    tooFew('LessAvailable', { have: count('availableReplicas'), of: wanted, what: 'replicas are available' }) ??
    tooFew('LessReady', { have: count('readyReplicas'), of: wanted, what: 'replicas are ready' }) ??
    tooMany(count('replicas'), wanted) ??
    ready(`${wanted} of ${wanted} replicas are available`)
  );
}

interface Replicas {
  readonly spec: JsonObject;
  readonly status: JsonObject;
  readonly wanted: number;
  readonly count: (key: string) => number;
}

function replicasOf(object: JsonObject): Replicas {
  const [spec, status] = [recordAt(object, 'spec'), recordAt(object, 'status')];
  return { spec, status, wanted: numberAt(spec, 'replicas') ?? 1, count: (key) => numberAt(status, key) ?? 0 };
}

function notSeen(object: JsonObject): Readiness | undefined {
  const isSeen = numberAt(recordAt(object, 'status'), 'observedGeneration') !== undefined;
  return isSeen ? undefined : inProgress('NotObserved', 'its controller has not seen it');
}

interface Counted {
  readonly have: number;
  readonly of: number;
  readonly what: string;
}

function tooFew(reason: string, { have, of, what }: Counted): Readiness | undefined {
  return have < of ? inProgress(reason, `${have} of ${of} ${what}`) : undefined;
}

function tooMany(have: number, wanted: number): Readiness | undefined {
  if (have <= wanted) return undefined;
  return inProgress('ExtraReplicas', `${have - wanted} replicas are still to end`);
}
