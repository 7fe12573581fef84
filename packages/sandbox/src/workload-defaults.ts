import { at, objectAt, objectsAt, textAt, withAt, withDefaultsAt } from './json-fields.ts';
import type { JsonObject } from './json.ts';
import { nameOf, withMetadata } from './object-meta.ts';
import { withPodSpecDefaults } from './pod-defaults.ts';

/** Returns a Deployment with the fields that the server fills in. */
export function deploymentDefaults(deployment: JsonObject, before: JsonObject | undefined): JsonObject {
  const filled = withDefaultsAt(templated(deployment), ['spec'], {
    replicas: 1,
    strategy: { type: 'RollingUpdate' },
    revisionHistoryLimit: 10,
    progressDeadlineSeconds: 600,
  });
  if (textAt(filled, 'spec', 'strategy', 'type') !== 'RollingUpdate') return withStartStatus(filled, before, {});
  const rolling = withDefaultsAt(filled, ['spec', 'strategy', 'rollingUpdate'], {
    maxUnavailable: '25%',
    maxSurge: '25%',
  });
  return withStartStatus(rolling, before, {});
}

/** Returns a StatefulSet with the fields that the server fills in. */
export function statefulSetDefaults(set: JsonObject, before: JsonObject | undefined): JsonObject {
  const filled = withDefaultsAt(templated(set), ['spec'], {
    replicas: 1,
    podManagementPolicy: 'OrderedReady',
    updateStrategy: { type: 'RollingUpdate' },
    revisionHistoryLimit: 10,
    persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
  });
  const claimed = withClaimTemplates(rolling(filled, { partition: 0 }));
  return withStartStatus(claimed, before, { replicas: 0, availableReplicas: 0 });
}

function withClaimTemplates(set: JsonObject): JsonObject {
  const templates = objectsAt(set, 'spec', 'volumeClaimTemplates').map((claim) =>
    withDefaultsAt(withDefaultsAt(claim, ['spec'], { volumeMode: 'Filesystem' }), ['status'], { phase: 'Pending' }),
  );
  return templates.length === 0 ? set : withAt(set, ['spec', 'volumeClaimTemplates'], templates);
}

/** Returns a DaemonSet with the fields that the server fills in. */
export function daemonSetDefaults(set: JsonObject, before: JsonObject | undefined): JsonObject {
  const filled = withDefaultsAt(templated(set), ['spec'], {
    updateStrategy: { type: 'RollingUpdate' },
    revisionHistoryLimit: 10,
  });
  const start = { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 };
  return withStartStatus(rolling(filled, { maxUnavailable: 1, maxSurge: 0 }), before, start);
}

/** Returns the object with the default limits of a rolling update, if that is its update strategy. */
function rolling(object: JsonObject, limits: JsonObject): JsonObject {
  if (textAt(object, 'spec', 'updateStrategy', 'type') !== 'RollingUpdate') return object;
  return withDefaultsAt(object, ['spec', 'updateStrategy', 'rollingUpdate'], limits);
}

const JOB_SPEC = {
  backoffLimit: 6,
  completionMode: 'NonIndexed',
  suspend: false,
  podReplacementPolicy: 'TerminatingOrFailed',
  manualSelector: false,
};

/** Returns a Job with the fields that the server fills in, including its selector and labels. */
export function jobDefaults(job: JsonObject, before: JsonObject | undefined): JsonObject {
  const isSingle = at(job, 'spec', 'parallelism') === undefined;
  const counts = { parallelism: 1, ...(isSingle ? { completions: 1 } : {}) };
  const filled = withDefaultsAt(templated(job), ['spec'], { ...counts, ...JOB_SPEC });
  return before === undefined
    ? withStartStatus(withOwnSelector(filled), before, {})
    : withStartStatus(filled, before, {});
}

/** A new Job selects its Pods by its uid. */
function withOwnSelector(job: JsonObject): JsonObject {
  const uid = textAt(job, 'metadata', 'uid');
  const labels = { 'batch.kubernetes.io/controller-uid': uid, 'controller-uid': uid };
  const names = { 'batch.kubernetes.io/job-name': nameOf(job), 'job-name': nameOf(job) };
  const labeled = withDefaultsAt(job, ['spec', 'template', 'metadata', 'labels'], { ...labels, ...names });
  const selector = { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } };
  const filled = withDefaultsAt(labeled, ['spec'], { selector });
  return withMetadata(filled, { labels: { ...labels, ...names, ...objectAt(filled, 'metadata', 'labels') } });
}

/** Returns a CronJob with the fields that the server fills in. */
export function cronJobDefaults(cronJob: JsonObject, before: JsonObject | undefined): JsonObject {
  const template = withDefaultsAt(cronJob, ['spec', 'jobTemplate', 'spec', 'template'], { metadata: {} });
  const filled = withDefaultsAt(withDefaultsAt(template, ['spec', 'jobTemplate'], { metadata: {} }), ['spec'], {
    concurrencyPolicy: 'Allow',
    suspend: false,
    successfulJobsHistoryLimit: 3,
    failedJobsHistoryLimit: 1,
  });
  const podSpec = ['spec', 'jobTemplate', 'spec', 'template', 'spec'];
  return withStartStatus(withAt(filled, podSpec, withPodSpecDefaults(objectAt(filled, ...podSpec))), before, {});
}

/** Returns the object with the defaults of its pod template. */
export function templated(object: JsonObject): JsonObject {
  const template = at(object, 'spec', 'template');
  if (template === undefined) return object;
  return withAt(object, ['spec', 'template', 'spec'], withPodSpecDefaults(objectAt(template, 'spec')));
}

/** Returns the object with `status` if it is new or has none. */
export function withStartStatus(object: JsonObject, before: JsonObject | undefined, status: JsonObject): JsonObject {
  return before === undefined || at(object, 'status') === undefined ? { ...object, status } : object;
}
