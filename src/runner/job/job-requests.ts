import { apiPath } from '../../kube/api-path.ts';
import { isMissing } from '../../kube/api-error.ts';
import type { KubeClient, KubeRequest } from '../../kube/client.ts';
import { asJsonObject, text } from '../../kube/object.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import { shownText } from '../../lib/shown.ts';
import { JOB_ANNOTATIONS } from './job-facts.ts';
import { jobState, type JobState } from './job-state.ts';
import { seenPod, type SeenPod } from './pod-state.ts';

type Client = Pick<KubeClient, 'request'>;

/** A Job, or the place where it is to be. */
export interface JobPlaced {
  readonly namespace: string;
  readonly name: string;
}

/** A Job to delete: only the one with this uid, and only in this version, where they are given. */
export interface DeletedJob extends JobPlaced {
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

/** The grant of a run to a Pod, in place of the one with the epoch before. */
export interface NewGrant extends JobPlaced {
  readonly uid: string;
  readonly podUid: string;
  readonly epoch: number;
  readonly claimedAt: string;
  readonly seal?: string | undefined;
}

const LIMIT_MS = 10_000;

/** Creates a Job; rejects with the error of the API server. */
export async function createJob(client: Client, job: JsonObject, signal: AbortSignal): Promise<JobState> {
  const namespace = text(asJsonObject(job['metadata'])['namespace']);
  return sent(client, { method: 'POST', path: jobsPath(namespace), body: JSON.stringify(job) }, signal);
}

/** Reads a Job; undefined when it is not there. */
export async function readJob(client: Client, place: JobPlaced, signal: AbortSignal): Promise<JobState | undefined> {
  try {
    return await sent(client, { method: 'GET', path: jobsPath(place.namespace, place.name) }, signal);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Writes a grant if the one before it is the last; the API server refuses it with 422 where it is not. */
export async function writeGrant(client: Client, grant: NewGrant, signal: AbortSignal): Promise<void> {
  const { namespace, name, uid, podUid, epoch, claimedAt, seal } = grant;
  const body = [
    { op: 'test', path: '/metadata/uid', value: uid },
    { op: 'test', path: pointer(JOB_ANNOTATIONS.epoch), value: String(epoch - 1) },
    { op: 'replace', path: pointer(JOB_ANNOTATIONS.epoch), value: String(epoch) },
    { op: 'replace', path: pointer(JOB_ANNOTATIONS.claimedBy), value: podUid },
    ...(epoch === 1 ? [{ op: 'add', path: pointer(JOB_ANNOTATIONS.claimedAt), value: claimedAt }] : []),
    ...(seal === undefined ? [] : [{ op: 'add', path: pointer(JOB_ANNOTATIONS.seal), value: seal }]),
  ];
  const contentType = 'application/json-patch+json';
  const path = jobsPath(namespace, name);
  await sent(client, { method: 'PATCH', path, body: JSON.stringify(body), contentType }, signal);
}

/** A Job to keep for so long, also if its Pod does not end. */
export interface KeptJob extends DeletedJob {
  readonly activeDeadlineSeconds?: number | undefined;
}

/** Notes that the outcome of the run was recorded; resolves also when the Job is gone. */
export async function markConcluded(client: Client, place: KeptJob, signal: AbortSignal): Promise<void> {
  const { namespace, name, uid, activeDeadlineSeconds } = place;
  const annotations = { [JOB_ANNOTATIONS.concluded]: 'failed' };
  const metadata = { ...(uid !== undefined && { uid }), annotations };
  const body = JSON.stringify({ metadata, ...(activeDeadlineSeconds && { spec: { activeDeadlineSeconds } }) });
  const contentType = 'application/merge-patch+json';
  try {
    await sent(client, { method: 'PATCH', path: jobsPath(namespace, name), body, contentType }, signal);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** Deletes a Job and in the background its Pods; resolves also when it is gone. */
export async function deleteJob(client: Client, job: DeletedJob, signal: AbortSignal): Promise<void> {
  const { namespace, name, uid, resourceVersion } = job;
  const preconditions = {
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
  const body = JSON.stringify({ propagationPolicy: 'Background', preconditions });
  try {
    await client.request({ method: 'DELETE', path: jobsPath(namespace, name), body, timeoutMs: LIMIT_MS }, signal);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}

/** Reads a Pod; undefined when it is not there. */
export async function readPod(client: Client, place: JobPlaced, signal: AbortSignal): Promise<SeenPod | undefined> {
  const path = apiPath('api', 'v1', 'namespaces', place.namespace, 'pods', place.name);
  try {
    const value = asJsonObject(await client.request({ method: 'GET', path, timeoutMs: LIMIT_MS }, signal));
    return seenPod({ value });
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Why the Job controller could not create a Pod, by the last Event that says so; undefined where there is none. */
export async function failedCreate(
  client: Client,
  { namespace }: JobPlaced,
  uid: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const path = apiPath('api', 'v1', 'namespaces', namespace, 'events');
  const fieldSelector = `involvedObject.uid=${uid},reason=FailedCreate`;
  const request = { method: 'GET', path, query: { fieldSelector, limit: '50' }, timeoutMs: LIMIT_MS } as const;
  const { items } = asJsonObject(await client.request(request, signal));
  const messages = (Array.isArray(items) ? items : []).map((item) => text(asJsonObject(item)['message']));
  const last = messages.filter((message) => message !== '').at(-1);
  return last === undefined ? undefined : shownText(last);
}

async function sent(client: Client, request: KubeRequest, signal: AbortSignal): Promise<JobState> {
  return jobState({ value: asJsonObject(await client.request({ ...request, timeoutMs: LIMIT_MS }, signal)) });
}

function jobsPath(namespace: string, ...name: readonly string[]): string {
  return apiPath('apis', 'batch', 'v1', 'namespaces', namespace, 'jobs', ...name);
}

/** JSON Pointer of an annotation. */
function pointer(annotation: string): string {
  return `/metadata/annotations/${annotation.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
