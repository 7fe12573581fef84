import type { LeftOut } from './culprits.ts';
import type { PodState } from './reload.ts';
import type { Prometheus } from './resources.ts';
import type { StorageStep } from './storage.ts';
import type { Said } from './verdicts.ts';

const SOON_SECONDS = 5;
const LATEST_SECONDS = 300;

interface Found {
  readonly states: readonly PodState[];
  readonly leftOut: readonly LeftOut[];
  readonly storage: StorageStep;
  readonly told: Said;
}

/**
 * When to look again, where no change tells it: in 5 s, where Pods take long to answer as soon as one of them may be asked,
 * and where Pods refuse what they are given, half as long after as they have done so, at most 5 min. Undefined: when
 * something changes.
 */
export function nextLook(prometheus: Prometheus, { states, leftOut, storage, told }: Found): string | undefined {
  const seconds = [
    // What does not run yet is an event when it does.
    ...states.flatMap((one) => (one.state === 'waiting' && one.pod.running ? [one.seconds ?? SOON_SECONDS] : [])),
    ...(leftOut.some(({ reason }) => reason === 'NotJudged') || storage.step === 'wait' ? [SOON_SECONDS] : []),
    ...(states.some(({ state }) => state === 'refused') ? [Math.round(secondsNotLoaded(prometheus) / 2)] : []),
    ...(told.seconds === undefined ? [] : [told.seconds]),
    ...(leftOut.some(({ reason }) => reason === 'NoAnswer') ? [LATEST_SECONDS] : []),
  ];
  if (seconds.length === 0) return undefined;
  return `${Math.min(Math.max(Math.min(...seconds), SOON_SECONDS), LATEST_SECONDS)}s`;
}

function secondsNotLoaded({ status }: Prometheus): number {
  const loaded = status?.conditions?.find(({ type }) => type === 'Loaded');
  const since = loaded?.status === 'False' ? Date.parse(loaded.lastTransitionTime ?? '') : Number.NaN;
  return Number.isNaN(since) ? 0 : (Date.now() - since) / 1000;
}
