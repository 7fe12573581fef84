import { arrayAt, at, objectAt, present, stringMapAt, textAt, withAt, without } from './json-fields.ts';
import type { JsonObject } from './json.ts';
import type { ServedKind } from './kind.ts';
import { labelsOf, nameOf, withMetadata } from './object-meta.ts';
import { withPodDefaults, withPodSpecDefaults } from './pod-defaults.ts';

/** A built-in object with the fields that the server fills in. */
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
  persistentvolumeclaims: (claim, before) =>
    withStartStatus(overlay(claim, ['spec'], { volumeMode: 'Filesystem' }), before, { phase: 'Pending' }),
  persistentvolumes: (volume, before) =>
    withStartStatus(
      overlay(volume, ['spec'], { persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem' }),
      before,
      { phase: 'Pending' },
    ),
  nodes: (node, before) => withStartStatus(node, before, {}),
  replicationcontrollers: (controller, before) =>
    withStartStatus(overlay(templated(controller), ['spec'], { replicas: 1 }), before, { replicas: 0 }),
  'deployments.apps': deploymentDefaults,
  'replicasets.apps': (set, before) =>
    withStartStatus(overlay(templated(set), ['spec'], { replicas: 1 }), before, { replicas: 0 }),
  'statefulsets.apps': statefulSetDefaults,
  'daemonsets.apps': daemonSetDefaults,
  'jobs.batch': jobDefaults,
  'cronjobs.batch': cronJobDefaults,
  'certificatesigningrequests.certificates.k8s.io': (request, before) => withStartStatus(request, before, {}),
  'horizontalpodautoscalers.autoscaling': (autoscaler, before) =>
    withStartStatus(overlay(autoscaler, ['spec'], { minReplicas: 1 }), before, { desiredReplicas: 0 }),
  'poddisruptionbudgets.policy': (budget, before) =>
    withStartStatus(budget, before, { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 }),
  'ingresses.networking.k8s.io': (ingress, before) => withStartStatus(ingress, before, { loadBalancer: {} }),
};

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
  const clusterIP = at(before, 'spec', 'clusterIP') ?? clusterAddress();
  const filled = overlay(service, ['spec'], {
    ...(external ? {} : { clusterIP, clusterIPs: [at(service, 'spec', 'clusterIP') ?? clusterIP] }),
    type: 'ClusterIP',
    sessionAffinity: 'None',
    ...(external ? {} : { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack', internalTrafficPolicy: 'Cluster' }),
  });
  const spec = ports.length === 0 ? objectAt(filled, 'spec') : { ...objectAt(filled, 'spec'), ports };
  return withStartStatus({ ...filled, spec }, before, { loadBalancer: {} });
}

let addresses = 0;

function clusterAddress(): string {
  addresses = (addresses % 65_000) + 1;
  return `10.0.${addresses >> 8}.${addresses & 255}`;
}

function deploymentDefaults(deployment: JsonObject, before: JsonObject | undefined): JsonObject {
  const filled = overlay(templated(deployment), ['spec'], {
    replicas: 1,
    strategy: { type: 'RollingUpdate' },
    revisionHistoryLimit: 10,
    progressDeadlineSeconds: 600,
  });
  if (textAt(filled, 'spec', 'strategy', 'type') !== 'RollingUpdate') return withStartStatus(filled, before, {});
  const rolling = overlay(filled, ['spec', 'strategy', 'rollingUpdate'], { maxUnavailable: '25%', maxSurge: '25%' });
  return withStartStatus(rolling, before, {});
}

function statefulSetDefaults(set: JsonObject, before: JsonObject | undefined): JsonObject {
  const filled = overlay(templated(set), ['spec'], {
    replicas: 1,
    podManagementPolicy: 'OrderedReady',
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
    revisionHistoryLimit: 10,
    persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
  });
  return withStartStatus(filled, before, { replicas: 0, availableReplicas: 0 });
}

function daemonSetDefaults(set: JsonObject, before: JsonObject | undefined): JsonObject {
  const filled = overlay(templated(set), ['spec'], {
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
    revisionHistoryLimit: 10,
  });
  const start = { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 };
  return withStartStatus(filled, before, start);
}

const JOB_SPEC = {
  parallelism: 1,
  completions: 1,
  backoffLimit: 6,
  completionMode: 'NonIndexed',
  suspend: false,
  podReplacementPolicy: 'TerminatingOrFailed',
};

function jobDefaults(job: JsonObject, before: JsonObject | undefined): JsonObject {
  const uid = textAt(job, 'metadata', 'uid');
  const labels = { 'batch.kubernetes.io/controller-uid': uid, 'controller-uid': uid };
  const names = { 'batch.kubernetes.io/job-name': nameOf(job), 'job-name': nameOf(job) };
  const labeled = overlay(job, ['spec', 'template', 'metadata', 'labels'], { ...labels, ...names });
  const selector = { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } };
  return withStartStatus(overlay(templated(labeled), ['spec'], { ...JOB_SPEC, selector }), before, {});
}

function cronJobDefaults(cronJob: JsonObject, before: JsonObject | undefined): JsonObject {
  const filled = overlay(cronJob, ['spec'], {
    concurrencyPolicy: 'Allow',
    suspend: false,
    successfulJobsHistoryLimit: 3,
    failedJobsHistoryLimit: 1,
  });
  const podSpec = ['spec', 'jobTemplate', 'spec', 'template', 'spec'];
  return withStartStatus(withAt(filled, podSpec, withPodSpecDefaults(objectAt(filled, ...podSpec))), before, {});
}

/** The object with the defaults of the pods that its template makes. */
function templated(object: JsonObject): JsonObject {
  const template = at(object, 'spec', 'template');
  if (template === undefined) return object;
  return withAt(object, ['spec', 'template', 'spec'], withPodSpecDefaults(objectAt(template, 'spec')));
}

/** The object with `defaults` at `path` where it says nothing itself. */
function overlay(object: JsonObject, path: readonly string[], defaults: JsonObject): JsonObject {
  const own = objectAt(object, ...path);
  const missing = Object.fromEntries(Object.entries(defaults).filter(([name]) => !Object.hasOwn(own, name)));
  return withAt(object, path, { ...own, ...missing });
}

function withStartStatus(object: JsonObject, before: JsonObject | undefined, status: JsonObject): JsonObject {
  return before === undefined || at(object, 'status') === undefined ? { ...object, status } : object;
}
