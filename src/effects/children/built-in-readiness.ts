import { podReadiness } from './pod-readiness.ts';
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
import {
  daemonSetReadiness,
  deploymentReadiness,
  replicaSetReadiness,
  statefulSetReadiness,
} from './workload-readiness.ts';
import type { JsonObject } from '../../lib/json-object.ts';

type Rule = (object: JsonObject) => Readiness;

const RULES: ReadonlyMap<string, Rule> = new Map([
  ['apps/Deployment', deploymentReadiness],
  ['apps/StatefulSet', statefulSetReadiness],
  ['apps/DaemonSet', daemonSetReadiness],
  ['apps/ReplicaSet', replicaSetReadiness],
  ['batch/Job', jobReadiness],
  ['batch/CronJob', () => ready('is there')],
  ['/Pod', podReadiness],
  ['/Service', serviceReadiness],
  ['/PersistentVolumeClaim', claimReadiness],
  ['policy/PodDisruptionBudget', budgetReadiness],
  ['apiextensions.k8s.io/CustomResourceDefinition', definitionReadiness],
  ['apiregistration.k8s.io/APIService', apiServiceReadiness],
]);

/** The readiness of an object whose kind has rules of its own. */
export function builtInReadiness(object: JsonObject): Readiness | undefined {
  const apiVersion = textAt(object, 'apiVersion');
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  return RULES.get(`${group}/${textAt(object, 'kind')}`)?.(object);
}

function jobReadiness(object: JsonObject): Readiness {
  const failure = conditionOf(object, 'Failed');
  if (failure?.status === 'True') return failed(failure.reason || 'JobFailed', failure.message || 'has failed');
  if (conditionOf(object, 'Complete')?.status === 'True') return ready('is complete');
  if (conditionOf(object, 'Suspended')?.status === 'True') return inProgress('JobSuspended', 'is suspended');
  const status = recordAt(object, 'status');
  if (textAt(status, 'startTime') === '') return inProgress('JobNotStarted', 'has not started');
  const count = (key: string): number => numberAt(status, key) ?? 0;
  const pods = `${count('succeeded')} Pods succeeded, ${count('active')} are active, ${count('failed')} failed`;
  return inProgress('JobNotComplete', `is not complete: ${pods}`);
}

function serviceReadiness(object: JsonObject): Readiness {
  const spec = recordAt(object, 'spec');
  const isWaiting = textAt(spec, 'type') === 'LoadBalancer' && textAt(spec, 'clusterIP') === '';
  return isWaiting ? inProgress('NoIPAssigned', 'has no address yet') : ready('is there');
}

function claimReadiness(object: JsonObject): Readiness {
  const phase = textAt(recordAt(object, 'status'), 'phase');
  if (phase === 'Bound') return ready('is bound');
  if (phase === 'Lost') return failed('ClaimLost', 'has lost its volume');
  return inProgress('NotBound', 'is not bound to a volume');
}

function budgetReadiness(object: JsonObject): Readiness {
  const status = recordAt(object, 'status');
  const desired = numberAt(status, 'desiredHealthy');
  if (desired === undefined) return inProgress('BudgetNotComputed', 'its controller has not seen it');
  const healthy = numberAt(status, 'currentHealthy') ?? 0;
  if (healthy < desired) return inProgress('BudgetNotMet', `${healthy} of ${desired} Pods are healthy`);
  return ready(`${healthy} of ${desired} Pods are healthy`);
}

function definitionReadiness(object: JsonObject): Readiness {
  const names = conditionOf(object, 'NamesAccepted');
  if (names?.status === 'False') return failed(names.reason || 'NamesNotAccepted', names.message);
  const established = conditionOf(object, 'Established');
  if (established?.status === 'True') return ready('is established');
  const isFailed = established?.status === 'False' && established.reason !== 'Installing';
  if (isFailed) return failed(established.reason || 'NotEstablished', established.message);
  return inProgress('Installing', 'is not established yet');
}

function apiServiceReadiness(object: JsonObject): Readiness {
  const available = conditionOf(object, 'Available');
  if (available?.status === 'True') return ready('is available');
  return inProgress(available?.reason || 'NotAvailable', available?.message || 'is not available yet');
}
