/*
 * Creates the Job of a run, and waits until that is possible: for a place, for the authority of the certificates, for the
 * API server, for a quota. The name of the Job is that of the run, so that of all attempts to create it one succeeds; a
 * response that was lost is made up for by reading the Job. What cannot succeed by waiting ends with a sentence that
 * says what to do.
 */

import { KubeError } from '../../errors.ts';
import { isAlreadyExists } from '../../kube/api-error.ts';
import type { KubeClient } from '../../kube/client.ts';
import { exponentialBackoff } from '../../lib/backoff.ts';
import type { JsonObject } from '../../lib/json-object.ts';
import { messageOf } from '../../lib/message-of.ts';
import { sleep } from '../../lib/sleep.ts';
import { createJob, readJob } from './job-requests.ts';
import type { JobState } from './job-state.ts';
import type { LiveRun } from './live-run.ts';
import type { StartSlots } from './start-slots.ts';

/** An Event to record. */
export type JobEvents = (event: {
  readonly type: 'Warning' | 'Normal';
  readonly reason: string;
  readonly message: string;
}) => void;

export interface StartParts {
  readonly client: Pick<KubeClient, 'request'>;
  readonly slots: StartSlots;
  /** PEM of what signs the certificates of replicas; undefined: it is not known yet. */
  readonly authority: () => string | undefined;
  readonly events: JobEvents;
  /** Milliseconds on a monotonic clock. */
  readonly elapsed: () => number;
}

/** The Job was created, and a place is taken for it; or why it cannot be. */
export type Started =
  | { readonly type: 'created'; readonly job: JobState }
  /** `isUnsure`: a request had no answer, so that it may be there nevertheless. */
  | { readonly type: 'refused'; readonly reason: string; readonly isUnsure: boolean };

const AUTHORITY_POLL_MS = 500;
const BACKOFF = { initialMs: 1000, maxMs: 10_000, jitter: 0.2 };
const QUOTA_BACKOFF = { initialMs: 5000, maxMs: 30_000, jitter: 0.2 };

/** Creates the Job that `write` makes with the authority; rejects with the reason of `signal` alone. */
export async function startJob(
  run: LiveRun,
  write: (authority: string) => JsonObject,
  parts: StartParts,
  signal: AbortSignal,
): Promise<Started> {
  const quota = exponentialBackoff(QUOTA_BACKOFF);
  let isTold = false;
  for (;;) {
    const job = write(await knownAuthority(parts, signal));
    await parts.slots.take(signal);
    const created = await inPlace(parts.slots, async () => create(run, job, parts, signal));
    if (created.type !== 'full') return created;
    if (!isTold) parts.events({ type: 'Warning', reason: 'JobWaiting', message: waitingText(run, created.message) });
    isTold = true;
    await sleep(quota.next(), signal);
    signal.throwIfAborted();
  }
}

function waitingText({ facts: { hook }, namespace }: LiveRun, said: string): string {
  return `hook ${hook}: its Job waits for a quota of the namespace ${namespace}: ${said}`;
}

async function knownAuthority({ authority }: StartParts, signal: AbortSignal): Promise<string> {
  for (;;) {
    const known = authority();
    if (known !== undefined) return known;
    await sleep(AUTHORITY_POLL_MS, signal);
    signal.throwIfAborted();
  }
}

type Created = Started | { readonly type: 'full'; readonly message: string };

/** Gives the place back unless a Job was created for it. */
async function inPlace(slots: StartSlots, work: () => Promise<Created>): Promise<Created> {
  let isKept = false;
  try {
    const created = await work();
    isKept = created.type === 'created';
    return created;
  } finally {
    if (!isKept) slots.give();
  }
}

async function create(run: LiveRun, job: JsonObject, parts: StartParts, signal: AbortSignal): Promise<Created> {
  const { client, elapsed } = parts;
  const backoff = exponentialBackoff(BACKOFF);
  const untilMs = elapsed() + run.facts.startTimeoutMs;
  let isUnsure = false;
  for (;;) {
    try {
      return { type: 'created', job: await createOrFind(run, { client, job }, signal) };
    } catch (error) {
      signal.throwIfAborted();
      if (isQuota(error)) return { type: 'full', message: messageOf(error) };
      if (!(error instanceof KubeError) || !isWorthAnother(error) || elapsed() >= untilMs) {
        return { type: 'refused', reason: refusal(run, error), isUnsure };
      }
      isUnsure ||= error.status !== 429;
      await sleep(Math.max(error.retryAfterMs ?? 0, backoff.next()), signal);
      signal.throwIfAborted();
    }
  }
}

interface Creation {
  readonly client: StartParts['client'];
  readonly job: JsonObject;
}

/** A Job that is there already is the one of an earlier attempt whose response was lost, if it is of this run. */
async function createOrFind(run: LiveRun, { client, job }: Creation, signal: AbortSignal): Promise<JobState> {
  try {
    return await createJob(client, job, signal);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const found = await readJob(client, { namespace: run.namespace, name: run.job }, signal);
    if (found?.facts?.runId !== run.facts.runId || found.isDeleting) throw error;
    return found;
  }
}

function isWorthAnother({ status }: KubeError): boolean {
  return status === 0 || status === 429 || status >= 500;
}

function isQuota(error: unknown): boolean {
  return error instanceof KubeError && error.status === 403 && /exceeded quota/i.test(error.message);
}

function refusal({ namespace }: LiveRun, error: unknown): string {
  const message = messageOf(error);
  const what = `its Job could not be created: ${message}`;
  if (!(error instanceof KubeError)) return what;
  if (error.status === 404) return `${what}; create the namespace ${namespace}, or set settings.executor.job.namespace`;
  if (error.status === 422 || error.status === 400) return `${what}; see settings.executor, and its template`;
  return what;
}
