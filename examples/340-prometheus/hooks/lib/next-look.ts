import type { LeftOut } from './culprits.ts';
import type { PodState } from './reload.ts';
import type { Prometheus } from './resources.ts';
import type { StorageStep } from './storage.ts';

const SOON_SECONDS = 5;
const LATEST_SECONDS = 300;

interface Found {
  readonly states: readonly PodState[];
  readonly leftOut: readonly LeftOut[];
  readonly storage: StorageStep;
}

/**
 * When to look again, where no change tells it: in 5 s, and where Pods refuse what they are given, half as long after as
 * they have done so, at most 5 min. Undefined: when something changes.
 */
export function nextLook(prometheus: Prometheus, found: Found): string | undefined {
  if (isWaiting(found)) return `${SOON_SECONDS}s`;
  if (found.states.every(({ state }) => state !== 'refused')) {
    return found.leftOut.some(({ reason }) => reason === 'NoAnswer') ? `${LATEST_SECONDS}s` : undefined;
  }
  const half = Math.round(secondsNotLoaded(prometheus) / 2);
  return `${Math.min(Math.max(half, SOON_SECONDS), LATEST_SECONDS)}s`;
}

/** What does not run yet is an event when it does. */
function isWaiting({ states, leftOut, storage }: Found): boolean {
  return (
    states.some(({ state, pod }) => state === 'waiting' && pod.running) ||
    leftOut.some(({ reason }) => reason === 'NotJudged') ||
    storage.step === 'wait'
  );
}

function secondsNotLoaded({ status }: Prometheus): number {
  const loaded = status?.conditions?.find(({ type }) => type === 'Loaded');
  const since = loaded?.status === 'False' ? Date.parse(loaded.lastTransitionTime ?? '') : Number.NaN;
  return Number.isNaN(since) ? 0 : (Date.now() - since) / 1000;
}
