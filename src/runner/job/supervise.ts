/*
 * Watches over a run whose Job is there, until it has ended: asks `nextStep` after each change, follows the log of a
 * foreign image, and does what the end needs. It is the same for a run that this operator began and for one that it took
 * over. What must hold: when it returns, the hook cannot run any more, as far as that can be known, or is left to the
 * next leader; so no second run begins beside it.
 */

import { KubeError } from '../../errors.ts';
import type { KubeClient } from '../../kube/client.ts';
import { stopText } from '../failure.ts';
import { logOf, type RunLog } from './follow-log.ts';
import type { JobDeletions } from './job-deletions.ts';
import { failedCreate, readJob, readPod } from './job-requests.ts';
import type { LiveRun } from './live-run.ts';
import { earliest, nextStep, type JobEnd, type Step } from './next-step.ts';

export interface SuperviseParts {
  readonly client: Pick<KubeClient, 'request' | 'chunks'>;
  readonly deletions: JobDeletions;
  /** Whether Jobs are to be left to the next leader when a run is stopped. */
  readonly isLeaving: () => boolean;
  /** Called once when a run that was taken over has not asked for longer than its Pod may take to start. */
  readonly onSilent: (run: LiveRun) => void;
  /** Milliseconds on a monotonic clock. */
  readonly elapsed: () => number;
}

/** How long the end of a Pod that was deleted is waited for, in addition to its grace. */
const END_GRACE_MS = 15_000;
/** Until the API server is asked again that has not answered. */
const AGAIN_MS = 5000;
/** How often is looked whether the operator ends. */
const LOOK_MS = 1000;
/** The end of a log that is still on its way. */
const LOG_MS = 2000;
/** Requests have a limit of their own. */
const NEVER = new AbortController().signal;

/** Resolves with the end of the run; never rejects, not even when `signal` aborts, which stops or leaves the run. */
export async function supervise(run: LiveRun, parts: SuperviseParts, signal: AbortSignal): Promise<JobEnd> {
  const log = logOf(run, parts.client);
  const end = await decided(run, { ...parts, log }, signal);
  run.ended(end.type === 'left');
  if (isToDelete(end)) await parts.deletions.now({ namespace: run.namespace, name: run.job, uid: run.uid });
  if (isToDelete(end) || end.type === 'deleted') await untilOver(run, parts);
  await log.end(end.type === 'left' ? 0 : LOG_MS);
  run.endOutput();
  return end.type === 'notStarted' && end.reason === undefined ? { ...end, reason: await whyNoPod(run, parts) } : end;
}

/** Ends whose Pod may still be there. */
function isToDelete({ type }: JobEnd): boolean {
  return type === 'notStarted' || type === 'overtime' || type === 'stopped' || type === 'gone';
}

interface DecideParts extends SuperviseParts {
  readonly log: RunLog;
}

async function decided(run: LiveRun, parts: DecideParts, signal: AbortSignal): Promise<JobEnd> {
  // One that was taken over is to ask again.
  let silentAtMs = run.phase.type === 'open' ? undefined : parts.elapsed() + run.facts.startTimeoutMs;
  for (;;) {
    parts.log.look();
    const { view } = run;
    const step = nextStep(view);
    const end = step.type === 'end' ? await sureEnd(run, step.end, parts) : undefined;
    if (end !== undefined) return end;
    if (signal.aborted) return parts.isLeaving() ? { type: 'left' } : { type: 'stopped', why: stopText(signal) };
    if (view.isHeard) silentAtMs = undefined;
    if (silentAtMs !== undefined && view.nowMs >= silentAtMs) {
      silentAtMs = undefined;
      parts.onSilent(run);
    }
    await run.changedOr(earliest(silentAtMs, nextLookMs(step, view.nowMs)), signal);
  }
}

function nextLookMs(step: Step, nowMs: number): number | undefined {
  return step.type === 'wait' ? step.untilMs : nowMs + AGAIN_MS;
}

/** The end, where the API server does not say otherwise; undefined where it is to be looked at again. */
async function sureEnd(run: LiveRun, end: JobEnd, { client }: SuperviseParts): Promise<JobEnd | undefined> {
  if (end.type === 'result' || end.type === 'files') return endWithResult(run, end, client);
  if (end.type !== 'notStarted' || end.hasAsked !== true) return end;
  return (await isStillLate(run, client)) ? end : undefined;
}

/** A watch that is behind must not end a hook that has begun. */
async function isStillLate(run: LiveRun, client: SuperviseParts['client']): Promise<boolean> {
  const { pod } = run;
  if (pod === undefined) return true;
  try {
    const read = await readPod(client, pod, NEVER);
    if (read?.uid === pod.uid) run.sawPod(read);
    return nextStep(run.view).type === 'end';
  } catch {
    return false;
  }
}

/**
 * What a run asks for cannot be applied while the API server is away, and then a run of hours would be done again. Where
 * another operator has granted it since, the result is for that one.
 */
async function endWithResult(run: LiveRun, end: JobEnd, client: SuperviseParts['client']): Promise<JobEnd | undefined> {
  try {
    const found = await readJob(client, { namespace: run.namespace, name: run.job }, NEVER);
    if (found === undefined || found.uid !== run.uid) return { type: 'deleted' };
    return found.grant.epoch > (run.claim?.epoch ?? 0) ? undefined : end;
  } catch (error) {
    return error instanceof KubeError && error.isRetryable ? undefined : end;
  }
}

/**
 * Waits until the hook cannot run any more, within the time that the cluster takes for that; an operator that ends does
 * not wait as long as the Pod of somebody else has for its end.
 */
async function untilOver(run: LiveRun, { elapsed, isLeaving }: SuperviseParts): Promise<void> {
  const untilMs = elapsed() + (run.pod?.graceMs ?? 0) + END_GRACE_MS;
  while (mayRun(run) && elapsed() < untilMs && !isLeaving()) {
    await run.changedOr(Math.min(untilMs, elapsed() + LOOK_MS), NEVER);
  }
}

function mayRun({ sight }: LiveRun): boolean {
  return sight.pod.type === 'there' && sight.overSinceMs === undefined;
}

/** Why the Job has no Pod: what its controller says, if that may be read. */
async function whyNoPod(run: LiveRun, { client }: SuperviseParts): Promise<string> {
  const said = run.uid === undefined ? undefined : await createFailure(run, run.uid, client);
  return `no Pod was created; ${said ?? `see kubectl describe job ${run.job} -n ${run.namespace}`}`;
}

async function createFailure(run: LiveRun, uid: string, client: SuperviseParts['client']): Promise<string | undefined> {
  const place = { namespace: run.namespace, name: run.job };
  try {
    return await failedCreate(client, place, uid, NEVER);
  } catch {
    return undefined;
  }
}
