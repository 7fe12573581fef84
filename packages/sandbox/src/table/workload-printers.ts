import { at, objectsAt, textAt } from '../json-fields.ts';
import type { JsonObject } from '../json.ts';
import { isTerminating, nameOf, ownerReferencesOf } from '../object-meta.ts';
import {
  age,
  condition,
  containerCells,
  count,
  labelsText,
  NONE,
  scalarOr,
  selectorOrNone,
  selectorText,
  size,
  textOr,
  UNSET,
} from './cells.ts';
import { ageOf, humanDuration } from './human-duration.ts';
import { podSummary } from './pod-status.ts';
import { printer, type Printer } from './printer.ts';

const TEMPLATE = ['spec', 'template'] as const;
const SELECTOR = ['spec', 'selector'] as const;
const REPLICA_COLUMNS = 'Name, Desired:integer, Current:integer, Ready:integer, Age, Containers+, Images+, Selector+';

/** The printers of Pods and of the workloads that create them. */
export const WORKLOAD_PRINTERS: { readonly [collection: string]: Printer } = {
  pods: printer('Name, Ready, Status, Restarts, Age, IP+, Node+, Nominated Node+, Readiness Gates+', (pod, now) => {
    const { ready, containers, reason, restarts } = podSummary(pod, now);
    return [
      nameOf(pod),
      `${ready}/${containers}`,
      reason,
      restarts,
      age(pod, now),
      textOr(NONE, objectsAt(pod, 'status', 'podIPs')[0], 'ip'),
      textOr(NONE, pod, 'spec', 'nodeName'),
      textOr(NONE, pod, 'status', 'nominatedNodeName'),
      readinessGates(pod),
    ];
  }),
  podtemplates: printer('Name, Containers, Images, Pod Labels', (object) => [
    nameOf(object),
    ...containerCells(object, 'template'),
    labelsText(object, 'template', 'metadata', 'labels'),
  ]),
  replicationcontrollers: printer(REPLICA_COLUMNS, (object, now) => [
    ...replicaCells(object, now),
    labelsText(object, ...SELECTOR),
  ]),
  'replicasets.apps': printer(REPLICA_COLUMNS, (object, now) => [
    ...replicaCells(object, now),
    selectorOrNone(object, ...SELECTOR),
  ]),
  'deployments.apps': printer(
    'Name, Ready, Up-to-date, Available, Age, Containers+, Images+, Selector+',
    (object, now) => [
      nameOf(object),
      readyOf(object),
      count(object, 'status', 'updatedReplicas'),
      count(object, 'status', 'availableReplicas'),
      age(object, now),
      ...containerCells(object, ...TEMPLATE),
      selectorText(object, ...SELECTOR),
    ],
  ),
  'statefulsets.apps': printer('Name, Ready, Age, Containers+, Images+', (object, now) => [
    nameOf(object),
    readyOf(object),
    age(object, now),
    ...containerCells(object, ...TEMPLATE),
  ]),
  'daemonsets.apps': printer(
    'Name, Desired:integer, Current:integer, Ready:integer, Up-to-date:integer, Available:integer, Node Selector, Age, Containers+, Images+, Selector+',
    (object, now) => [
      nameOf(object),
      count(object, 'status', 'desiredNumberScheduled'),
      count(object, 'status', 'currentNumberScheduled'),
      count(object, 'status', 'numberReady'),
      count(object, 'status', 'updatedNumberScheduled'),
      count(object, 'status', 'numberAvailable'),
      labelsText(object, ...TEMPLATE, 'spec', 'nodeSelector'),
      age(object, now),
      ...containerCells(object, ...TEMPLATE),
      selectorOrNone(object, ...SELECTOR),
    ],
  ),
  'controllerrevisions.apps': printer('Name, Controller, Revision, Age', (object, now) => [
    nameOf(object),
    controllerOf(object),
    count(object, 'revision'),
    age(object, now),
  ]),
  'jobs.batch': printer('Name, Status, Completions, Duration, Age, Containers+, Images+, Selector+', (job, now) => [
    nameOf(job),
    jobStatus(job),
    completions(job),
    jobDuration(job, now),
    age(job, now),
    ...containerCells(job, ...TEMPLATE),
    selectorOrNone(job, ...SELECTOR),
  ]),
  'cronjobs.batch': printer(
    'Name, Schedule, Timezone, Suspend:boolean, Active:integer, Last Schedule, Age, Containers+, Images+, Selector+',
    (object, now) => [
      nameOf(object),
      textAt(object, 'spec', 'schedule'),
      textOr(NONE, object, 'spec', 'timeZone'),
      capitalized(scalarOr(UNSET, object, 'spec', 'suspend')),
      size(object, 'status', 'active'),
      textAt(object, 'status', 'lastScheduleTime') === '' ? NONE : ageOf(at(object, 'status', 'lastScheduleTime'), now),
      age(object, now),
      ...containerCells(object, 'spec', 'jobTemplate', 'spec', 'template'),
      selectorOrNone(object, 'spec', 'jobTemplate', 'spec', 'selector'),
    ],
  ),
};

function replicaCells(object: JsonObject, now: number): readonly (string | number)[] {
  return [
    nameOf(object),
    count(object, 'spec', 'replicas'),
    count(object, 'status', 'replicas'),
    count(object, 'status', 'readyReplicas'),
    age(object, now),
    ...containerCells(object, ...TEMPLATE),
  ];
}

function readyOf(object: JsonObject): string {
  return `${count(object, 'status', 'readyReplicas')}/${count(object, 'spec', 'replicas')}`;
}

function readinessGates(pod: JsonObject): string {
  const gates = objectsAt(pod, 'spec', 'readinessGates');
  const isTrue = (gate: JsonObject): boolean =>
    textAt(condition(pod, textAt(gate, 'conditionType')), 'status') === 'True';
  return gates.length === 0 ? NONE : `${gates.filter(isTrue).length}/${gates.length}`;
}

function controllerOf(object: JsonObject): string {
  const owner = ownerReferencesOf(object).find((reference) => at(reference, 'controller') === true);
  if (owner === undefined) return NONE;
  const [group = ''] = textAt(owner, 'apiVersion').split('/').slice(0, -1);
  const kind = `${textAt(owner, 'kind')}${group === '' ? '' : `.${group}`}`;
  return `${kind.toLowerCase()}/${textAt(owner, 'name')}`;
}

const capitalized = (text: string): string => text.replace(/^[tf]/, (letter) => letter.toUpperCase());

function jobStatus(job: JsonObject): string {
  const holds = (type: string): boolean => textAt(condition(job, type), 'status') === 'True';
  if (holds('Complete')) return 'Complete';
  if (holds('Failed')) return 'Failed';
  if (isTerminating(job)) return 'Terminating';
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find(holds) ?? 'Running';
}

function completions(job: JsonObject): string {
  const succeeded = count(job, 'status', 'succeeded');
  if (at(job, 'spec', 'completions') !== undefined) return `${succeeded}/${count(job, 'spec', 'completions')}`;
  const parallelism = count(job, 'spec', 'parallelism');
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function jobDuration(job: JsonObject, now: number): string {
  const start = textAt(job, 'status', 'startTime');
  if (start === '') return '';
  const end = textAt(job, 'status', 'completionTime');
  return humanDuration((end === '' ? now : Date.parse(end)) - Date.parse(start));
}
