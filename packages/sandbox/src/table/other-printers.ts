import { at, objectsAt, textAt } from '../json-fields.ts';
import type { JsonObject } from '../json.ts';
import { nameOf } from '../object-meta.ts';
import { age, condition, count, NONE, scalarOr, size, textOr, UNSET } from './cells.ts';
import { humanDuration } from './human-duration.ts';
import { horizontalPodAutoscalerMetrics } from './metrics-text.ts';
import { printer, type Printer } from './printer.ts';

const BINDING = printer('Name, Role, Age, Users+, Groups+, ServiceAccounts+', (binding, now) => [
  nameOf(binding),
  `${textAt(binding, 'roleRef', 'kind')}/${textAt(binding, 'roleRef', 'name')}`,
  age(binding, now),
  subjects(binding, 'User'),
  subjects(binding, 'Group'),
  subjects(binding, 'ServiceAccount'),
]);

const WEBHOOKS = printer('Name, Webhooks:integer, Age', (object, now) => [
  nameOf(object),
  size(object, 'webhooks'),
  age(object, now),
]);

const CREATED = printer('Name, Created At:date', (object) => [
  nameOf(object),
  textAt(object, 'metadata', 'creationTimestamp'),
]);

/** The printers of the groups other than core, workloads, networks and storage. */
export const OTHER_PRINTERS: { readonly [collection: string]: Printer } = {
  limitranges: CREATED,
  'roles.rbac.authorization.k8s.io': CREATED,
  'clusterroles.rbac.authorization.k8s.io': CREATED,
  'csistoragecapacities.storage.k8s.io': CREATED,
  'customresourcedefinitions.apiextensions.k8s.io': CREATED,
  'rolebindings.rbac.authorization.k8s.io': BINDING,
  'clusterrolebindings.rbac.authorization.k8s.io': BINDING,
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': WEBHOOKS,
  'validatingwebhookconfigurations.admissionregistration.k8s.io': WEBHOOKS,
  'validatingadmissionpolicies.admissionregistration.k8s.io': printer(
    'Name, Validations:integer, ParamKind, Age',
    (object, now) => [nameOf(object), size(object, 'spec', 'validations'), paramKind(object), age(object, now)],
  ),
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': printer(
    'Name, PolicyName, ParamRef, Age',
    (object, now) => [nameOf(object), textAt(object, 'spec', 'policyName'), paramRef(object), age(object, now)],
  ),
  'horizontalpodautoscalers.autoscaling': printer(
    'Name, Reference, Targets, MinPods, MaxPods, Replicas, Age',
    (object, now) => [
      nameOf(object),
      `${textAt(object, 'spec', 'scaleTargetRef', 'kind')}/${textAt(object, 'spec', 'scaleTargetRef', 'name')}`,
      horizontalPodAutoscalerMetrics(object),
      scalarOr(UNSET, object, 'spec', 'minReplicas'),
      count(object, 'spec', 'maxReplicas'),
      count(object, 'status', 'currentReplicas'),
      age(object, now),
    ],
  ),
  'poddisruptionbudgets.policy': printer(
    'Name, Min Available, Max Unavailable, Allowed Disruptions:integer, Age',
    (object, now) => [
      nameOf(object),
      scalarOr('N/A', object, 'spec', 'minAvailable'),
      scalarOr('N/A', object, 'spec', 'maxUnavailable'),
      count(object, 'status', 'disruptionsAllowed'),
      age(object, now),
    ],
  ),
  'leases.coordination.k8s.io': printer('Name, Holder, Age', (lease, now) => [
    nameOf(lease),
    textAt(lease, 'spec', 'holderIdentity'),
    age(lease, now),
  ]),
  'priorityclasses.scheduling.k8s.io': printer(
    'Name, Value:integer, Global-Default:boolean, Age, PreemptionPolicy',
    (object, now) => [
      nameOf(object),
      count(object, 'value'),
      at(object, 'globalDefault') === true,
      age(object, now),
      textAt(object, 'preemptionPolicy'),
    ],
  ),
  'runtimeclasses.node.k8s.io': printer('Name, Handler, Age', (object, now) => [
    nameOf(object),
    textAt(object, 'handler'),
    age(object, now),
  ]),
  'apiservices.apiregistration.k8s.io': printer('Name, Service, Available, Age', (object, now) => [
    nameOf(object),
    at(object, 'spec', 'service') === undefined
      ? 'Local'
      : `${textAt(object, 'spec', 'service', 'namespace')}/${textAt(object, 'spec', 'service', 'name')}`,
    availability(object),
    age(object, now),
  ]),
  'certificatesigningrequests.certificates.k8s.io': printer(
    'Name, Age, SignerName, Requestor, RequestedDuration, Condition',
    (object, now) => [
      nameOf(object),
      age(object, now),
      textOr(NONE, object, 'spec', 'signerName'),
      textAt(object, 'spec', 'username'),
      at(object, 'spec', 'expirationSeconds') === undefined
        ? NONE
        : humanDuration(count(object, 'spec', 'expirationSeconds') * 1000),
      certificateCondition(object),
    ],
  ),
};

function subjects(binding: JsonObject, kind: string): string {
  return objectsAt(binding, 'subjects')
    .filter((subject) => textAt(subject, 'kind') === kind)
    .map((subject) => [textAt(subject, 'namespace'), textAt(subject, 'name')].filter((part) => part !== '').join('/'))
    .join(', ');
}

function paramKind(object: JsonObject): string {
  const kind = at(object, 'spec', 'paramKind');
  return kind === undefined ? UNSET : `${textAt(kind, 'apiVersion')}/${textAt(kind, 'kind')}`;
}

function paramRef(object: JsonObject): string {
  const name = textAt(object, 'spec', 'paramRef', 'name');
  return name === '' ? UNSET : `${textOr('*', object, 'spec', 'paramRef', 'namespace')}/${name}`;
}

function availability(object: JsonObject): string {
  const available = condition(object, 'Available');
  const status = textOr('Unknown', available, 'status');
  return status === 'True' || textAt(available, 'reason') === ''
    ? status
    : `${status} (${textAt(available, 'reason')})`;
}

function certificateCondition(object: JsonObject): string {
  const types = objectsAt(object, 'status', 'conditions').map((found) => textAt(found, 'type'));
  const decided = ['Denied', 'Approved'].find((type) => types.includes(type)) ?? 'Pending';
  const failed = types.includes('Failed') ? ',Failed' : '';
  return `${decided}${failed}${textAt(object, 'status', 'certificate') === '' ? '' : ',Issued'}`;
}
