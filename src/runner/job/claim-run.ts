/*
 * Grants a run to a Pod. The grant is in the annotations of the Job before the Pod gets an answer, and it is written
 * only if the last one is what this operator knows: so of two Pods, and of two operators that believe to lead, one gets
 * it, and a new leader reads who has the run. The same Pod may have it again, under the next epoch.
 */

import { KubeError } from '../../errors.ts';
import type { JobClaim } from '../../hook/job-desk.ts';
import type { DeskAnswer, DeskCaller } from '../../hook/remote-run.ts';
import { isMissing } from '../../kube/api-error.ts';
import type { KubeClient } from '../../kube/client.ts';
import { messageOf } from '../../lib/message-of.ts';
import { refused, type Refused } from '../desk-refusal.ts';
import { readJob, readPod, writeGrant } from './job-requests.ts';
import { sealedText, type Seal } from './job-seal.ts';
import type { JobState } from './job-state.ts';
import type { LiveRun } from './live-run.ts';
import type { SeenPod } from './pod-state.ts';

export interface ClaimParts {
  readonly client: Pick<KubeClient, 'request'>;
  /** The Pods of a Job that the watch has shown. */
  readonly podsOf: (run: LiveRun) => readonly SeenPod[];
  /** Absent: grants have no seal. */
  readonly seal?: Seal | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Called when the run was granted for the first time. */
  readonly onFirst: (run: LiveRun) => void;
}

/** Somebody else may have written a grant in between; more often than this nobody does. */
const TRIES = 3;

/** Claims a run for the Pod of the caller; rejects only with an error of the API server, or the reason of `signal`. */
export async function claimRun(
  run: LiveRun,
  caller: DeskCaller,
  parts: ClaimParts,
  signal: AbortSignal,
): Promise<DeskAnswer<JobClaim>> {
  const { uid } = run;
  if (uid === undefined) return refused(503, 'the Job of the run is not known to be there yet, ask again');
  const closed = refusedByPhase(run, caller);
  if (closed !== undefined) return closed;
  const pod = await podOf(run, caller, parts, signal);
  if (pod === undefined) return refused(403, `Pod ${caller.pod} is none of the Job ${run.job}`);
  if (pod.isDeleting && run.claim === undefined) return refused(409, 'the Pod is being deleted');
  const granted = await grant({ run, uid, pod }, parts, signal);
  if (typeof granted !== 'number') return granted;
  const changed = refusedByPhase(run, caller);
  if (changed !== undefined) return changed;
  if (run.claim === undefined) parts.onFirst(run);
  run.granted(pod, granted);
  return { type: 'ok', value: claimOf(run, granted) };
}

function refusedByPhase(run: LiveRun, { podUid }: DeskCaller): Refused | undefined {
  const { phase, claim } = run;
  if (phase.type === 'left') return refused(503, 'this replica is stopping, ask another');
  if (phase.type === 'ended' || phase.type === 'concluded') return refused(410, 'the run has ended');
  if (claim !== undefined && claim.podUid !== podUid) return refused(409, 'another Pod has the run');
  return undefined;
}

/** The Pod that asks, if it is one of the Job and not another one of its name; a watch may not have shown it yet. */
async function podOf(
  run: LiveRun,
  { namespace, pod: name, podUid }: DeskCaller,
  { client, podsOf }: ClaimParts,
  signal: AbortSignal,
): Promise<SeenPod | undefined> {
  if (namespace !== run.namespace) return undefined;
  const seen = podsOf(run).find((pod) => pod.uid === podUid) ?? (await readPod(client, { namespace, name }, signal));
  return seen?.uid === podUid && seen.job?.uid === run.uid && seen.name === name ? seen : undefined;
}

interface Granted {
  readonly run: LiveRun;
  readonly uid: string;
  readonly pod: SeenPod;
}

/** Writes the grant; returns its epoch. */
async function grant(granted: Granted, parts: ClaimParts, signal: AbortSignal): Promise<number | Refused> {
  const { run, uid, pod } = granted;
  const place = { namespace: run.namespace, name: run.job };
  let epoch = (run.claim?.epoch ?? 0) + 1;
  for (let tries = 1; ; tries += 1) {
    try {
      const claimedAt = new Date(parts.now()).toISOString();
      const seal = parts.seal?.(sealedText({ uid, podUid: pod.uid, epoch, facts: run.facts }));
      await writeGrant(parts.client, { ...place, uid, podUid: pod.uid, epoch, claimedAt, seal }, signal);
      return epoch;
    } catch (error) {
      if (isMissing(error)) return GONE;
      if (!isTestFailed(error) || tries >= TRIES) throw error;
    }
    const found = nextEpoch(granted, await readJob(parts.client, place, signal));
    if (typeof found !== 'number') return found;
    epoch = found;
  }
}

const GONE = refused(410, 'the Job is gone');

/** The epoch after the last grant, which this operator does not know: one of its own without an answer, or another's. */
function nextEpoch({ uid, pod }: Granted, found: JobState | undefined): number | Refused {
  if (found?.uid !== uid) return GONE;
  const { podUid = pod.uid, epoch } = found.grant;
  return podUid === pod.uid ? epoch + 1 : refused(409, 'another Pod has the run');
}

function isTestFailed(error: unknown): boolean {
  return error instanceof KubeError && (error.status === 422 || error.status === 409);
}

function claimOf({ facts, contexts }: LiveRun, epoch: number): JobClaim {
  const { runId, attempt, hook, hookHash, type, timeoutMs, outcome, plainExitCodes, backgroundLimitMs } = facts;
  const { traceparent } = facts;
  return {
    epoch,
    runId,
    attempt,
    hook,
    hookHash,
    type,
    plainExitCodes,
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(backgroundLimitMs !== undefined && { backgroundLimitMs }),
    ...(outcome !== undefined && { outcome }),
    ...(traceparent !== undefined && { traceparent }),
    contextBytes: (contexts ?? []).reduce((bytes, chunk) => bytes + chunk.length, 0),
    hasContexts: contexts !== undefined,
  };
}

/** What a refusal of the API server means for the Pod. */
export function refusedByServer(error: unknown): Refused {
  return refused(503, `the API server did not record the claim, ask again: ${messageOf(error)}`);
}
