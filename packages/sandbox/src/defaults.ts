import { createHash } from 'node:crypto';
import {
  arrayAt,
  at,
  objectAt,
  objectsAt,
  present,
  stringMapAt,
  textAt,
  withAt,
  withDefaultsAt,
  without,
} from './json-fields.ts';
import type { JsonObject } from './json.ts';
import type { ServedKind } from './kind.ts';
import { labelsOf, nameOf, namespaceOf, withMetadata } from './object-meta.ts';
import { withMutatingDefaults, withValidatingDefaults } from './webhooks/configuration.ts';
import { claimDefaults } from './claim-defaults.ts';
import { withPodDefaults, withPodSpecDefaults } from './pod-defaults.ts';
import {
  cronJobDefaults,
  daemonSetDefaults,
  deploymentDefaults,
  jobDefaults,
  statefulSetDefaults,
  templated,
  withStartStatus,
} from './workload-defaults.ts';

/** Returns a built-in object with the fields that the server fills in. */
export function withDefaults(kind: ServedKind, object: JsonObject, before: JsonObject | undefined): JsonObject {
  const fill = FILLERS[kind.collection];
  return fill === undefined ? object : fill(object, before);
}

type Filler = (object: JsonObject, before: JsonObject | undefined) => JsonObject;

const FILLERS: { readonly [collection: string]: Filler } = {
  namespaces: namespaceDefaults,
  secrets: secretDefaults,
  pods: withPodDefaults,
  services: serviceDefaults,
  persistentvolumeclaims: claimDefaults,
  persistentvolumes: (volume, before) =>
    withStartStatus(
      withDefaultsAt(volume, ['spec'], { persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem' }),
      before,
      { phase: 'Pending' },
    ),
  nodes: (node, before) => withStartStatus(node, before, {}),
  replicationcontrollers: (controller, before) =>
    withStartStatus(withDefaultsAt(templated(controller), ['spec'], { replicas: 1 }), before, { replicas: 0 }),
  'deployments.apps': deploymentDefaults,
  'replicasets.apps': (set, before) =>
    withStartStatus(withDefaultsAt(templated(set), ['spec'], { replicas: 1 }), before, { replicas: 0 }),
  'statefulsets.apps': statefulSetDefaults,
  'daemonsets.apps': daemonSetDefaults,
  'jobs.batch': jobDefaults,
  'cronjobs.batch': cronJobDefaults,
  'certificatesigningrequests.certificates.k8s.io': (request, before) => withStartStatus(request, before, {}),
  'horizontalpodautoscalers.autoscaling': (autoscaler, before) =>
    withStartStatus(withDefaultsAt(autoscaler, ['spec'], { minReplicas: 1, metrics: CPU_METRICS }), before, {
      desiredReplicas: 0,
    }),
  'poddisruptionbudgets.policy': (budget, before) =>
    withStartStatus(budget, before, { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 }),
  podtemplates: (template) =>
    withAt(template, ['template', 'spec'], withPodSpecDefaults(objectAt(template, 'template', 'spec'))),
  events: (event) => withDefaultsAt(event, [], EVENT_DEFAULTS),
  'storageclasses.storage.k8s.io': (storageClass) =>
    withDefaultsAt(storageClass, [], { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' }),
  'priorityclasses.scheduling.k8s.io': (priorityClass) =>
    withDefaultsAt(priorityClass, [], { preemptionPolicy: 'PreemptLowerPriority' }),
  'networkpolicies.networking.k8s.io': (policy) => withDefaultsAt(policy, ['spec'], { policyTypes: ['Ingress'] }),
  'validatingwebhookconfigurations.admissionregistration.k8s.io': withValidatingDefaults,
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': withMutatingDefaults,
  'leases.coordination.k8s.io': (lease) => withDefaultsAt(lease, ['spec'], {}),
  'rolebindings.rbac.authorization.k8s.io': bindingDefaults,
  'clusterrolebindings.rbac.authorization.k8s.io': bindingDefaults,
  'ingresses.networking.k8s.io': (ingress, before) => withStartStatus(ingress, before, { loadBalancer: {} }),
};

const EVENT_DEFAULTS = {
  source: {},
  firstTimestamp: null,
  lastTimestamp: null,
  eventTime: null,
  reportingComponent: '',
  reportingInstance: '',
};

const CPU_METRICS = [
  { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
];

function bindingDefaults(binding: JsonObject): JsonObject {
  const subjects = objectsAt(binding, 'subjects').map((subject) =>
    textAt(subject, 'kind') === 'ServiceAccount'
      ? subject
      : withDefaultsAt(subject, [], { apiGroup: 'rbac.authorization.k8s.io' }),
  );
  return subjects.length === 0 ? binding : { ...binding, subjects };
}

function namespaceDefaults(namespace: JsonObject, before: JsonObject | undefined): JsonObject {
  const labeled = withMetadata(namespace, {
    labels: { ...labelsOf(namespace), 'kubernetes.io/metadata.name': nameOf(namespace) },
  });
  const finalizers = before === undefined ? ['kubernetes'] : arrayAt(before, 'spec', 'finalizers');
  const spec = finalizers.length === 0 ? {} : { finalizers };
  return withStartStatus({ ...labeled, spec }, before, { phase: 'Active' });
}

function secretDefaults(secret: JsonObject): JsonObject {
  const plain = stringMapAt(secret, 'stringData').map(([key, value]) => [key, base64(value)]);
  const data: JsonObject = { ...objectAt(secret, 'data'), ...Object.fromEntries(plain) };
  const { kind = '', apiVersion = '', metadata = {}, immutable } = secret;
  const head = present({ kind, apiVersion, metadata, immutable });
  const rest = without(secret, 'kind', 'apiVersion', 'metadata', 'immutable', 'stringData', 'data', 'type');
  return {
    ...head,
    ...(Object.keys(data).length === 0 ? {} : { data }),
    ...rest,
    type: textAt(secret, 'type') === '' ? 'Opaque' : textAt(secret, 'type'),
  };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

function serviceDefaults(service: JsonObject, before: JsonObject | undefined): JsonObject {
  const ports = arrayAt(service, 'spec', 'ports').map((port) => {
    const entry = objectAt(port);
    return {
      ...entry,
      protocol: at(entry, 'protocol') ?? 'TCP',
      targetPort: at(entry, 'targetPort') ?? at(entry, 'port') ?? 0,
    };
  });
  const type = textAt(service, 'spec', 'type');
  const external = type === 'ExternalName';
  const clusterIP = at(before, 'spec', 'clusterIP') ?? clusterAddress(service);
  const filled = withDefaultsAt(service, ['spec'], {
    ...(external ? {} : { clusterIP, clusterIPs: [at(service, 'spec', 'clusterIP') ?? clusterIP] }),
    type: 'ClusterIP',
    sessionAffinity: 'None',
    ...(external ? {} : { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack', internalTrafficPolicy: 'Cluster' }),
  });
  const spec = ports.length === 0 ? objectAt(filled, 'spec') : { ...objectAt(filled, 'spec'), ports };
  return withStartStatus({ ...filled, spec }, before, { loadBalancer: {} });
}

/** The same for each Service of this name, so that what happened in two sandboxes can be compared. */
function clusterAddress(service: JsonObject): string {
  const [a = 0, b = 0, c = 0] = createHash('sha256')
    .update(`${namespaceOf(service)}/${nameOf(service)}`)
    .digest();
  return `10.${96 + (a % 16)}.${b}.${1 + (c % 254)}`;
}
