import { describe, expect, it } from 'vitest';
import { readinessOf } from '../../../src/effects/children/readiness.ts';

type Fields = Readonly<Record<string, unknown>>;

const KINDS: Readonly<Record<string, string>> = {
  Deployment: 'apps/v1',
  StatefulSet: 'apps/v1',
  DaemonSet: 'apps/v1',
  ReplicaSet: 'apps/v1',
  Job: 'batch/v1',
  CronJob: 'batch/v1',
  PodDisruptionBudget: 'policy/v1',
  CustomResourceDefinition: 'apiextensions.k8s.io/v1',
  APIService: 'apiregistration.k8s.io/v1',
  Widget: 'example.com/v1',
};

function object(kind: string, fields: Fields): Fields {
  return { apiVersion: KINDS[kind] ?? 'v1', kind, metadata: { name: 'a', generation: 2 }, ...fields };
}

function status(fields: Fields, conditions: Readonly<Record<string, string | readonly [string, string]>> = {}): Fields {
  const list = Object.entries(conditions).map(([type, value]) => {
    const [state, reason] = typeof value === 'string' ? [value, undefined] : value;
    return { type, status: state, ...(reason !== undefined && { reason }) };
  });
  return { status: { ...fields, ...(list.length > 0 && { conditions: list }) } };
}

const SEEN = { observedGeneration: 2 };
const THREE = { spec: { replicas: 3 } };
const ALL = { ...SEEN, replicas: 3, updatedReplicas: 3, readyReplicas: 3, availableReplicas: 3 };

describe('an object of any kind', () => {
  it.each([
    ['is ready when it is there, without a status', object('ConfigMap', {}), 'ready', 'Ready'],
    [
      'is ready when it is there, with a status that says nothing',
      object('Widget', status({ a: 1 })),
      'ready',
      'Ready',
    ],
    ['is ready with the condition Ready', object('Widget', status(SEEN, { Ready: 'True' })), 'ready', 'Ready'],
    [
      'is under way while Ready is False',
      object('Widget', status(SEEN, { Ready: ['False', 'Pulling'] })),
      'inProgress',
      'Pulling',
    ],
    [
      'is under way while Ready is Unknown',
      object('Widget', status(SEEN, { Ready: 'Unknown' })),
      'inProgress',
      'NotReady',
    ],
    [
      'is under way until its controller has seen the last change',
      object('Widget', status({ observedGeneration: 1 }, { Ready: 'True' })),
      'inProgress',
      'LatestGenerationNotObserved',
    ],
    [
      'is under way while Reconciling',
      object('Widget', status({}, { Reconciling: 'True' })),
      'inProgress',
      'Reconciling',
    ],
    ['has failed when Stalled', object('Widget', status({}, { Stalled: ['True', 'BadSpec'] })), 'failed', 'BadSpec'],
    [
      'is terminating once it is being deleted, whatever its status says',
      object('Widget', { metadata: { deletionTimestamp: 'x' }, ...status({}, { Ready: 'True' }) }),
      'terminating',
      'Terminating',
    ],
    ['is ready with a status that is no object', object('Widget', { status: 'fine' }), 'ready', 'Ready'],
    ['is ready with conditions that are no list', object('Widget', { status: { conditions: {} } }), 'ready', 'Ready'],
  ])('%s', (_, value, state, reason) => {
    expect(readinessOf(value)).toMatchObject({ state, reason });
  });
});

describe('a Deployment', () => {
  it.each([
    ['nobody has seen it', {}, 'inProgress', 'NotObserved'],
    ['replicas are missing', { ...ALL, replicas: 2 }, 'inProgress', 'LessReplicas'],
    ['replicas have the old template', { ...ALL, updatedReplicas: 2 }, 'inProgress', 'LessUpdated'],
    ['old replicas are left', { ...ALL, replicas: 4 }, 'inProgress', 'ExtraReplicas'],
    ['replicas are not available', { ...ALL, availableReplicas: 2 }, 'inProgress', 'LessAvailable'],
    ['replicas are not ready', { ...ALL, readyReplicas: 2 }, 'inProgress', 'LessReady'],
    ['all replicas are available', ALL, 'ready', 'Ready'],
  ])('when %s', (_, fields, state, reason) => {
    expect(readinessOf(object('Deployment', { ...THREE, ...status(fields) }))).toMatchObject({ state, reason });
  });

  it.each([
    [
      'its deadline is over',
      { Progressing: ['False', 'ProgressDeadlineExceeded'] },
      'failed',
      'ProgressDeadlineExceeded',
    ],
    [
      'it is not available',
      { Available: ['False', 'MinimumReplicasUnavailable'] },
      'inProgress',
      'MinimumReplicasUnavailable',
    ],
    ['it is available', { Available: 'True', Progressing: ['True', 'NewReplicaSetAvailable'] }, 'ready', 'Ready'],
  ] as const)('by its conditions, when %s', (_, conditions, state, reason) => {
    expect(readinessOf(object('Deployment', { ...THREE, ...status(ALL, conditions) }))).toMatchObject({
      state,
      reason,
    });
  });

  it('of 0 replicas is ready', () => {
    expect(readinessOf(object('Deployment', { spec: { replicas: 0 }, ...status(SEEN) }))).toMatchObject({
      state: 'ready',
    });
  });
});

describe('a StatefulSet', () => {
  const same = { currentRevision: 'r', updateRevision: 'r' };
  it.each([
    ['replicas are missing', THREE.spec, { ...ALL, replicas: 1 }, 'LessReplicas'],
    ['replicas are not ready', THREE.spec, { ...ALL, readyReplicas: 1 }, 'LessReady'],
    ['replicas are still to end', THREE.spec, { ...ALL, replicas: 4 }, 'ExtraReplicas'],
    [
      'replicas have the old revision',
      THREE.spec,
      { ...ALL, currentRevision: 'a', updateRevision: 'b' },
      'RevisionMismatch',
    ],
    ['all are ready', THREE.spec, { ...ALL, ...same }, 'Ready'],
    [
      'those beyond its partition are not updated',
      { replicas: 3, updateStrategy: { rollingUpdate: { partition: 1 } } },
      { ...ALL, updatedReplicas: 1 },
      'PartitionRollout',
    ],
    [
      'those beyond its partition are updated',
      { replicas: 3, updateStrategy: { rollingUpdate: { partition: 1 } } },
      { ...ALL, updatedReplicas: 2, currentRevision: 'a', updateRevision: 'b' },
      'Ready',
    ],
    ['it is updated by deletion', { updateStrategy: { type: 'OnDelete' } }, SEEN, 'Ready'],
  ])('when %s', (_, spec, fields, reason) => {
    expect(readinessOf(object('StatefulSet', { spec, ...status(fields) })).reason).toBe(reason);
  });
});

describe('a DaemonSet', () => {
  const all = {
    ...SEEN,
    desiredNumberScheduled: 2,
    currentNumberScheduled: 2,
    updatedNumberScheduled: 2,
    numberAvailable: 2,
    numberReady: 2,
  };
  it.each([
    ['its nodes are not counted', SEEN, 'NoDesiredNumber'],
    ['nodes have no Pod', { ...all, currentNumberScheduled: 1 }, 'LessCurrent'],
    ['Pods are old', { ...all, updatedNumberScheduled: 1 }, 'LessUpdated'],
    ['Pods are not available', { ...all, numberAvailable: 1 }, 'LessAvailable'],
    ['Pods are not ready', { ...all, numberReady: 1 }, 'LessReady'],
    ['all Pods are available', all, 'Ready'],
    ['no node should have a Pod', { ...SEEN, desiredNumberScheduled: 0 }, 'Ready'],
  ])('when %s', (_, fields, reason) => {
    expect(readinessOf(object('DaemonSet', status(fields))).reason).toBe(reason);
  });
});

describe('a ReplicaSet', () => {
  const all = { ...SEEN, replicas: 3, fullyLabeledReplicas: 3, availableReplicas: 3, readyReplicas: 3 };
  it.each([
    ['Pods cannot be made', status(all, { ReplicaFailure: ['True', 'FailedCreate'] }), 'FailedCreate'],
    ['Pods lack labels', status({ ...all, fullyLabeledReplicas: 2 }), 'LessLabelled'],
    ['Pods are not available', status({ ...all, availableReplicas: 2 }), 'LessAvailable'],
    ['Pods are not ready', status({ ...all, readyReplicas: 2 }), 'LessReady'],
    ['Pods are still to end', status({ ...all, replicas: 4 }), 'ExtraReplicas'],
    ['all Pods are available', status(all), 'Ready'],
  ])('when %s', (_, fields, reason) => {
    expect(readinessOf(object('ReplicaSet', { ...THREE, ...fields })).reason).toBe(reason);
  });
});

describe('other built-in kinds', () => {
  const waiting = (reason: string) => ({ containerStatuses: [{ name: 'c', state: { waiting: { reason } } }] });
  it.each([
    ['a Job that has not started', 'Job', status({}), 'inProgress', 'JobNotStarted'],
    ['a Job that runs', 'Job', status({ startTime: 'x', active: 1 }), 'inProgress', 'JobNotComplete'],
    ['a Job that is suspended', 'Job', status({}, { Suspended: 'True' }), 'inProgress', 'JobSuspended'],
    ['a Job that is complete', 'Job', status({ startTime: 'x' }, { Complete: 'True' }), 'ready', 'Ready'],
    [
      'a Job that failed',
      'Job',
      status({ startTime: 'x' }, { Failed: ['True', 'BackoffLimitExceeded'] }),
      'failed',
      'BackoffLimitExceeded',
    ],
    ['a CronJob', 'CronJob', status({}), 'ready', 'Ready'],
    ['a Pod without a phase', 'Pod', {}, 'inProgress', 'PodPhaseUnknown'],
    [
      'a Pod that no node takes',
      'Pod',
      status({ phase: 'Pending' }, { PodScheduled: ['False', 'Unschedulable'] }),
      'inProgress',
      'Unschedulable',
    ],
    [
      'a Pod that is pending',
      'Pod',
      status({ phase: 'Pending' }, { PodScheduled: 'True' }),
      'inProgress',
      'PodPending',
    ],
    ['a Pod that is not ready', 'Pod', status({ phase: 'Running' }, { Ready: 'False' }), 'inProgress', 'PodNotReady'],
    [
      'a Pod that crashes',
      'Pod',
      status({ phase: 'Running', ...waiting('CrashLoopBackOff') }, { Ready: 'False' }),
      'failed',
      'ContainerCrashes',
    ],
    ['a Pod that is ready', 'Pod', status({ phase: 'Running' }, { Ready: 'True' }), 'ready', 'Ready'],
    ['a Pod that succeeded', 'Pod', status({ phase: 'Succeeded' }), 'ready', 'Ready'],
    ['a Pod that failed', 'Pod', status({ phase: 'Failed', reason: 'Evicted' }), 'failed', 'Evicted'],
    ['a Service', 'Service', { spec: { type: 'ClusterIP' } }, 'ready', 'Ready'],
    ['a load balancer without an address', 'Service', { spec: { type: 'LoadBalancer' } }, 'inProgress', 'NoIPAssigned'],
    [
      'a load balancer with an address',
      'Service',
      { spec: { type: 'LoadBalancer', clusterIP: '10.0.0.1' } },
      'ready',
      'Ready',
    ],
    ['a claim that is pending', 'PersistentVolumeClaim', status({ phase: 'Pending' }), 'inProgress', 'NotBound'],
    ['a claim that is bound', 'PersistentVolumeClaim', status({ phase: 'Bound' }), 'ready', 'Ready'],
    ['a claim that lost its volume', 'PersistentVolumeClaim', status({ phase: 'Lost' }), 'failed', 'ClaimLost'],
    ['a budget that nobody has counted', 'PodDisruptionBudget', status(SEEN), 'inProgress', 'BudgetNotComputed'],
    [
      'a budget that is not met',
      'PodDisruptionBudget',
      status({ ...SEEN, currentHealthy: 1, desiredHealthy: 2 }),
      'inProgress',
      'BudgetNotMet',
    ],
    [
      'a budget that is met',
      'PodDisruptionBudget',
      status({ ...SEEN, currentHealthy: 2, desiredHealthy: 2 }),
      'ready',
      'Ready',
    ],
    ['a definition that is new', 'CustomResourceDefinition', status({}), 'inProgress', 'Installing'],
    [
      'a definition whose names are taken',
      'CustomResourceDefinition',
      status({}, { NamesAccepted: ['False', 'ListKindConflict'] }),
      'failed',
      'ListKindConflict',
    ],
    [
      'a definition that cannot be established',
      'CustomResourceDefinition',
      status({}, { Established: ['False', 'Bad'] }),
      'failed',
      'Bad',
    ],
    [
      'a definition that is established',
      'CustomResourceDefinition',
      status({}, { NamesAccepted: 'True', Established: 'True' }),
      'ready',
      'Ready',
    ],
    [
      'an APIService that is not available',
      'APIService',
      status({}, { Available: ['False', 'MissingEndpoints'] }),
      'inProgress',
      'MissingEndpoints',
    ],
    ['an APIService that is available', 'APIService', status({}, { Available: 'True' }), 'ready', 'Ready'],
  ] as const)('%s', (_, kind, fields, ...[state, reason]) => {
    expect(readinessOf(object(kind, fields))).toMatchObject({ state, reason });
  });

  it('of the same name in another group are none of them', () => {
    expect(readinessOf({ apiVersion: 'example.com/v1', kind: 'Job', metadata: {} })).toMatchObject({ state: 'ready' });
  });
});
