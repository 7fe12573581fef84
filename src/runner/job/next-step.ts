/*
 * What comes next for the run of a Job: how it ended, or until when to wait. `supervise.ts` asks it after each change.
 * A run is unclaimed until a Pod has asked for it, then claimed, and ends by the result that the Pod sends; everything
 * else that ends it is here as well. What must hold: while the hook may still run in a Pod that can be reached, the run
 * has not ended, unless its time is over, so that no second one begins beside it.
 */

import type { RemoteResult } from '../../hook/remote-run.ts';
import type { JobFacts } from './job-facts.ts';
import type { PodExit } from './pod-state.ts';
import { exitIn, podIn, type Sight } from './sight.ts';

/** How a run ended. */
export type JobEnd =
  | { readonly type: 'result'; readonly result: Extract<RemoteResult, { type: 'exited' | 'failed' }> }
  /** With a sidecar: the exit code is in the status of the Pod. */
  | { readonly type: 'files'; readonly result: SidecarResult; readonly exit: PodExit }
  /** Its Pod did not ask for it; `isLate`: in time. `hasAsked`: it did, and its hook has not begun in time. */
  | {
      readonly type: 'notStarted';
      readonly reason: string | undefined;
      readonly isLate: boolean;
      readonly hasAsked?: boolean;
    }
  /** Its Pod ended, and has sent no result. */
  | { readonly type: 'silent'; readonly exit: PodExit }
  | { readonly type: 'disrupted'; readonly why: string }
  /** Its Pod is not there any more, or has said nothing for too long. */
  | { readonly type: 'gone' }
  | { readonly type: 'deleted' }
  | { readonly type: 'overtime' }
  /** This operator ends it. */
  | { readonly type: 'stopped'; readonly why: string }
  /** This operator ends, and the next leader takes the run over. */
  | { readonly type: 'left' };

/** What a sidecar sends. */
export type SidecarResult = Extract<RemoteResult, { type: 'files' | 'unreadable' }>;

/** The end, or the time of the next decision if nothing changes; undefined: only a change decides. */
export type Step =
  | { readonly type: 'end'; readonly end: JobEnd }
  | { readonly type: 'wait'; readonly untilMs: number | undefined };

/** All that the decision depends on; times as `elapsed` has them. */
export interface RunView {
  readonly nowMs: number;
  readonly facts: Pick<JobFacts, 'agent' | 'timeoutMs' | 'startTimeoutMs'>;
  readonly sight: Sight;
  /** When the run was granted to a Pod; undefined: it was not. */
  readonly claimedAtMs: number | undefined;
  /** Its Pod has asked this operator. */
  readonly isHeard: boolean;
  readonly result: { readonly result: RemoteResult; readonly atMs: number } | undefined;
}

/** A result that was sent just before the Pod ended may be on its way; a sidecar is told to end after the hook has. */
const RESULT_GRACE_MS = { image: 10_000, sidecar: 30_000 } as const;
/** The status of a Pod comes this much later than what its sidecar sends. */
const STATUS_GRACE_MS = 30_000;
/** The agent enforces the time limit of the hook; this is for an agent that does not. */
const NET_MS = 30_000;
/** A Pod whose node is lost does not end when it was told to. */
const DOOM_MS = 30_000;
/** For a Pod that has not asked since the leader changed, and has no time limit. */
const UNHEARD_MS = 24 * 3_600_000;

/** Decides what comes next; pure. */
export function nextStep(view: RunView): Step {
  if (view.result !== undefined) return withResult(view, view.result);
  return view.claimedAtMs === undefined ? unclaimed(view) : claimed(view, view.claimedAtMs);
}

function end(it: JobEnd): Step {
  return { type: 'end', end: it };
}

function withResult({ nowMs, sight }: RunView, { result, atMs }: NonNullable<RunView['result']>): Step {
  if (result.type === 'exited' || result.type === 'failed') return end({ type: 'result', result });
  const exit = exitIn(sight);
  if (exit !== undefined) return end(cutOffIn(sight, exit) ?? { type: 'files', result, exit });
  const untilMs = (sight.pod.type === 'gone' ? (sight.overSinceMs ?? nowMs) : atMs) + STATUS_GRACE_MS;
  return nowMs < untilMs ? { type: 'wait', untilMs } : end({ type: 'gone' });
}

/** A hook that failed in a Pod that the cluster was ending may have been ended with it. */
function cutOffIn(sight: Sight, { exitCode, reason }: PodExit): JobEnd | undefined {
  const state = podIn(sight);
  const isCutOff = state?.type === 'disrupted' && exitCode !== 0 && reason !== 'OOMKilled';
  return isCutOff ? { type: 'disrupted', why: state.why } : undefined;
}

function unclaimed({ nowMs, sight, facts }: RunView): Step {
  const early = endBeforeClaim(sight);
  if (early !== undefined) return end(early);
  const { startableSinceMs } = sight;
  if (startableSinceMs === undefined) return { type: 'wait', untilMs: undefined };
  const untilMs = startableSinceMs + facts.startTimeoutMs;
  if (nowMs < untilMs) return { type: 'wait', untilMs };
  return end({ type: 'notStarted', reason: waitReason(sight), isLate: true });
}

/** What leaves no hope that a Pod will ask. */
function endBeforeClaim(sight: Sight): JobEnd | undefined {
  if (isDeleted(sight)) return { type: 'deleted' };
  const state = podIn(sight);
  if (state?.type === 'ended') return { type: 'notStarted', reason: endedEarly(state.exit), isLate: false };
  if (state?.type === 'disrupted' && state.isOver) return { type: 'disrupted', why: state.why };
  const failure = sight.job.type === 'there' ? sight.job.state.failure : undefined;
  if (failure === undefined || state !== undefined) return undefined;
  return { type: 'notStarted', reason: failure, isLate: false };
}

function isDeleted({ job }: Sight): boolean {
  return job.type === 'gone' || (job.type === 'there' && job.state.isDeleting);
}

/** Undefined where there is no Pod that could say it. */
function waitReason(sight: Sight): string | undefined {
  const state = podIn(sight);
  if (state?.type === 'pending') return state.reason;
  if (state?.type === 'running')
    return 'it runs, but has not asked for its run: see its log, and whether it may reach hooklet';
  return state?.type === 'disrupted' ? state.why : undefined;
}

function endedEarly({ exitCode, reason, message }: PodExit): string {
  const code = exitCode === undefined ? '' : `it ended with exit code ${exitCode}`;
  return [code, reason, message].filter((part) => part !== '').join(': ');
}

function claimed(view: RunView, claimedAtMs: number): Step {
  const { nowMs, sight } = view;
  const over = overAt(sight);
  const limit = beginLimit(view, claimedAtMs) ?? limitOf(view, claimedAtMs);
  if (over === undefined || over > nowMs) {
    if (limit !== undefined && nowMs >= limit.atMs) return end(limit.end);
    return { type: 'wait', untilMs: earliest(over, limit?.atMs) };
  }
  const untilMs = over + RESULT_GRACE_MS[view.facts.agent];
  return nowMs < untilMs ? { type: 'wait', untilMs } : end(endWithoutResult(sight));
}

/** When the hook cannot run any more: since the past, or at the latest at a time that comes; undefined: nobody knows. */
function overAt({ overSinceMs, doomedSinceMs, pod }: Sight): number | undefined {
  if (overSinceMs !== undefined) return overSinceMs;
  if (doomedSinceMs === undefined || pod.type !== 'there') return undefined;
  return doomedSinceMs + pod.pod.graceMs + DOOM_MS;
}

interface Limit {
  readonly atMs: number;
  readonly end: JobEnd;
}

/** A sidecar asks before the image of the hook is pulled: what keeps that from running must not be waited for forever. */
function beginLimit({ facts, sight }: RunView, claimedAtMs: number): Limit | undefined {
  const state = podIn(sight);
  if (facts.agent === 'image' || state?.type !== 'pending') return undefined;
  const { reason } = state;
  const end = { type: 'notStarted', reason, isLate: true, hasAsked: true } as const;
  return { atMs: claimedAtMs + facts.startTimeoutMs, end };
}

function limitOf(view: RunView, claimedAtMs: number): Limit | undefined {
  const { timeoutMs } = view.facts;
  if (timeoutMs !== undefined) return { atMs: begunAt(view, claimedAtMs) + timeoutMs, end: { type: 'overtime' } };
  const { isHeard } = view;
  return isHeard ? undefined : { atMs: claimedAtMs + UNHEARD_MS, end: { type: 'gone' } };
}

/** From when the time of the hook counts: what was taken over has begun before it was seen. */
function begunAt({ facts, sight: { begunSinceMs } }: RunView, claimedAtMs: number): number {
  if (facts.agent === 'image') return claimedAtMs + NET_MS;
  const latestMs = claimedAtMs + facts.startTimeoutMs;
  return Math.min(begunSinceMs ?? latestMs, latestMs);
}

function endWithoutResult(sight: Sight): JobEnd {
  if (isDeleted(sight)) return { type: 'deleted' };
  const state = podIn(sight);
  if (state?.type === 'disrupted') return { type: 'disrupted', why: state.why };
  return state?.type === 'ended' ? { type: 'silent', exit: state.exit } : { type: 'gone' };
}

/** The first of the times that there are. */
export function earliest(...times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((one) => one !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
