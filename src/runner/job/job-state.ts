import { asJsonObject, text, type KubeObject } from '../../kube/object.ts';
import { isObject, type JsonObject } from '../../lib/json-object.ts';
import { JOB_ANNOTATIONS, readFacts, type JobFacts } from './job-facts.ts';

/** What a Job says, as far as it counts; how its Pod ended is in the Pod, long before it is here. */
export interface JobState {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly createdAtMs: number;
  /** Undefined where the annotation is not one of hooklet. */
  readonly facts: JobFacts | undefined;
  readonly grant: JobGrant;
  readonly isSuspended: boolean;
  /** The outcome of its run was recorded. */
  readonly isConcluded: boolean;
  readonly isDeleting: boolean;
  /** Why the Job controller makes no Pod any more. */
  readonly failure: string | undefined;
}

/** To whom the run was granted last, and how often it was. */
export interface JobGrant {
  readonly epoch: number;
  /** Absent: nobody has claimed the run. */
  readonly podUid?: string;
  readonly atMs?: number;
  /** Absent: it was written without one. */
  readonly seal?: string;
}

/** Reads a Job that a watch delivered. */
export function jobState(object: Pick<KubeObject, 'value'>): JobState {
  const { metadata: raw, spec, status } = object.value;
  const metadata = asJsonObject(raw);
  const annotations = asJsonObject(metadata['annotations']);
  return {
    namespace: text(metadata['namespace']),
    name: text(metadata['name']),
    uid: text(metadata['uid']),
    resourceVersion: text(metadata['resourceVersion']),
    createdAtMs: timeOf(metadata['creationTimestamp']) ?? 0,
    facts: readFacts(text(annotations[JOB_ANNOTATIONS.run])),
    grant: grantOf(annotations),
    isSuspended: asJsonObject(spec)['suspend'] === true,
    isConcluded: text(annotations[JOB_ANNOTATIONS.concluded]) !== '',
    isDeleting: metadata['deletionTimestamp'] !== undefined,
    failure: failureOf(asJsonObject(status)),
  };
}

function grantOf(annotations: JsonObject): JobGrant {
  const podUid = text(annotations[JOB_ANNOTATIONS.claimedBy]);
  const atMs = timeOf(annotations[JOB_ANNOTATIONS.claimedAt]);
  const epoch = Number(text(annotations[JOB_ANNOTATIONS.epoch]));
  const seal = text(annotations[JOB_ANNOTATIONS.seal]);
  return {
    epoch: Number.isSafeInteger(epoch) ? epoch : 0,
    ...(podUid !== '' && { podUid }),
    ...(atMs !== undefined && { atMs }),
    ...(seal !== '' && { seal }),
  };
}

function failureOf(status: JsonObject): string | undefined {
  const conditions = Array.isArray(status['conditions']) ? status['conditions'].filter(isObject) : [];
  const failed = conditions.find(
    ({ type, status: is }) => ['Failed', 'FailureTarget'].includes(text(type)) && is === 'True',
  );
  return failed === undefined ? undefined : `${text(failed['reason'])}: ${text(failed['message'])}`;
}

/** Milliseconds since the epoch; undefined for what is no time. */
export function timeOf(value: unknown): number | undefined {
  const atMs = Date.parse(text(value));
  return Number.isNaN(atMs) ? undefined : atMs;
}
