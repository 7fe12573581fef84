import type { JobState } from './job-state.ts';
import { isOver, type PodExit, type PodState, type SeenPod } from './pod-state.ts';

/** What is seen of the Job and the Pod of a run, and since when what makes a run end; times as `elapsed` has them. */
export interface Sight {
  readonly job: { readonly type: 'unseen' | 'gone' } | { readonly type: 'there'; readonly state: JobState };
  readonly pod: { readonly type: 'unseen' | 'gone' } | { readonly type: 'there'; readonly pod: SeenPod };
  /** Since when a Pod may be created; undefined while the Job is suspended. */
  readonly startableSinceMs: number | undefined;
  /** Since when the hook in the Pod that counts is seen to have begun. */
  readonly begunSinceMs: number | undefined;
  /** Since when the hook in the Pod that counts cannot run any more. */
  readonly overSinceMs: number | undefined;
  /** Since when the cluster is ending that Pod. */
  readonly doomedSinceMs: number | undefined;
}

/** Before anything is seen. */
export const NOTHING_SEEN: Sight = {
  job: { type: 'unseen' },
  pod: { type: 'unseen' },
  startableSinceMs: undefined,
  begunSinceMs: undefined,
  overSinceMs: undefined,
  doomedSinceMs: undefined,
};

/** The sight after the Job was seen; undefined: it is gone. */
export function withJob(sight: Sight, state: JobState | undefined, nowMs: number): Sight {
  if (state === undefined) return { ...sight, job: { type: 'gone' } };
  const startableSinceMs = state.isSuspended ? undefined : (sight.startableSinceMs ?? nowMs);
  return { ...sight, job: { type: 'there', state }, startableSinceMs };
}

/** The sight after the Pod that counts was seen; undefined: it is gone. */
export function withPod(sight: Sight, pod: SeenPod | undefined, nowMs: number): Sight {
  if (pod === undefined) return { ...sight, pod: { type: 'gone' }, overSinceMs: sight.overSinceMs ?? nowMs };
  const { state } = pod;
  return {
    ...sight,
    pod: { type: 'there', pod },
    begunSinceMs: sight.begunSinceMs ?? since(state.type === 'running', undefined, nowMs),
    overSinceMs: since(isOver(pod), sight.overSinceMs, nowMs),
    doomedSinceMs: since(state.type === 'disrupted', sight.doomedSinceMs, nowMs),
  };
}

function since(isSo: boolean, knownMs: number | undefined, nowMs: number): number | undefined {
  return isSo ? (knownMs ?? nowMs) : undefined;
}

/** The state of the Pod that counts; undefined where none is seen. */
export function podIn({ pod }: Sight): PodState | undefined {
  return pod.type === 'there' ? pod.pod.state : undefined;
}

/** How the hook ended; undefined while it has not, or where that is not known. */
export function exitIn(sight: Sight): PodExit | undefined {
  const state = podIn(sight);
  return state?.type === 'ended' || state?.type === 'disrupted' ? state.exit : undefined;
}
