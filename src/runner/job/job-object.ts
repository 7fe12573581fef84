import { dnsLabel } from '../../lib/dns-label.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import { shortHash } from '../../lib/short-hash.ts';
import { asJsonObject } from '../../kube/object.ts';
import { JOB_ANNOTATIONS, JOB_LABELS, writeFacts, type JobFacts } from './job-facts.ts';
import { mergeTemplate } from './merge-template.ts';
import { podTemplate, type PodPlace, type PodPurpose } from './pod-template.ts';

/** The object that Jobs belong to, so that they go with it. */
export interface JobOwner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly namespace: string;
}

/** What all Jobs of one installation have in common. */
export interface JobPlace extends PodPlace {
  /** The value of the label by which the installation finds its Jobs. */
  readonly installation: string;
  readonly owner?: JobOwner | undefined;
}

/** What one Job is for. */
export interface JobPurpose extends Omit<PodPurpose, 'job'> {
  readonly namespace: string;
}

/** The name of the Job of a run: that it can be created only once is the lock of the run. */
export function jobName(runId: string): string {
  return `hooklet-run-${runId}`;
}

/** A value that tells the hook apart where only a label can be used. */
export function hookLabel(hook: string): string {
  const hash = shortHash(hook);
  const name = dnsLabel(hook, MAX_LABEL - hash.length - 1);
  return name === '' ? hash : `${name}-${hash}`;
}

const MAX_LABEL = 63;
const MIN_GRACE_SECONDS = 30;
/** An operator that was away finds the end of a Pod in this time. */
const MIN_TTL_SECONDS = 300;
/** Beyond the limits of its start and its hook: a Pod of `image` hands in its result for an hour. */
const NET_SECONDS = { image: 3660, sidecar: 60 } as const;

/** The Job of a run, of which the API server makes one Pod at most. */
export function jobObject(purpose: JobPurpose, place: JobPlace): JsonObject {
  const { rule, facts, namespace } = purpose;
  const name = jobName(facts.runId);
  const labels = {
    [JOB_LABELS.managedBy]: 'hooklet',
    [JOB_LABELS.installation]: place.installation,
    [JOB_LABELS.hook]: hookLabel(facts.hook),
  };
  const template = mergeTemplate(podTemplate({ ...purpose, job: name }, place, labels), rule.template);
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name,
      namespace,
      labels: { ...rule.labels, ...labels },
      annotations: { ...rule.annotations, ...annotationsOf(facts) },
      ...ownedBy(place.owner, namespace),
    },
    spec: { ...limits(purpose), template: guarded(template, labels) },
  };
}

function annotationsOf(facts: JobFacts): JsonObject {
  return { [JOB_ANNOTATIONS.run]: writeFacts(facts), [JOB_ANNOTATIONS.claimedBy]: '', [JOB_ANNOTATIONS.epoch]: '0' };
}

/** An owner must be in the namespace of what it owns, or the garbage collector takes it for gone. */
function ownedBy(owner: JobOwner | undefined, namespace: string): JsonObject {
  if (owner === undefined || owner.namespace !== namespace) return {};
  const { apiVersion, kind, name, uid } = owner;
  return { ownerReferences: [{ apiVersion, kind, name, uid, controller: false, blockOwnerDeletion: false }] };
}

/**
 * Whatever ends the Pod, an eviction too, ends the Job: it is a failure, and none may follow. `Ignore` for disruptions
 * in a podFailurePolicy would have the Job controller start a second Pod.
 */
function limits({ rule, facts: { timeoutMs } }: JobPurpose): JsonObject {
  const { agent, startTimeoutMs } = rule;
  // A sidecar has asked before the image of its hook is pulled.
  const startMs = agent === 'sidecar' ? 2 * startTimeoutMs : startTimeoutMs;
  return {
    parallelism: 1,
    completions: 1,
    backoffLimit: 0,
    podReplacementPolicy: 'Failed',
    suspend: rule.isSuspended,
    ttlSecondsAfterFinished: Math.max(MIN_TTL_SECONDS, seconds(rule.keepFailedMs)),
    ...(timeoutMs !== undefined && {
      activeDeadlineSeconds: seconds(timeoutMs + startMs) + NET_SECONDS[agent],
    }),
  };
}

function seconds(ms: number): number {
  return Math.ceil(ms / 1000);
}

/** What a template may not change. */
function guarded(template: JsonObject, labels: JsonObject): JsonObject {
  const [metadata, spec] = [asJsonObject(template['metadata']), asJsonObject(template['spec'])];
  const grace = spec['terminationGracePeriodSeconds'];
  return {
    ...template,
    metadata: { ...metadata, labels: { ...asJsonObject(metadata['labels']), ...labels } },
    spec: {
      ...spec,
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: Math.max(MIN_GRACE_SECONDS, typeof grace === 'number' ? grace : 0),
    },
  };
}
