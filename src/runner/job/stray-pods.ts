import { sleep } from '../../lib/sleep.ts';
import { hookLabel } from './job-object.ts';
import type { JobNamespace } from './job-namespace.ts';
import type { LiveRuns } from './live-runs.ts';
import { isOver, type SeenPod } from './pod-state.ts';

export interface StrayParts {
  readonly runs: Pick<LiveRuns, 'find' | 'isPast'>;
  /** Milliseconds on a monotonic clock. */
  readonly elapsed: () => number;
}

const LOOK_MS = 250;
/** No Pod is waited for longer, whoever made it. */
const MOST_MS = 60_000;

/**
 * Waits until no Pod of the hook is left that may still run without a Job: one that an earlier leader deleted goes at once,
 * its Pod only after its grace. Each is waited for 60 s at most. Rejects with the reason of `signal`.
 */
export async function untilNoStrays(
  hook: string,
  namespace: JobNamespace,
  { runs, elapsed }: StrayParts,
  signal: AbortSignal,
): Promise<void> {
  const label = hookLabel(hook);
  const untilMs = elapsed() + MOST_MS;
  while (
    [...namespace.pods].some((pod) => pod.hook === label && isStray(pod, namespace, runs)) &&
    elapsed() < untilMs
  ) {
    await sleep(LOOK_MS, signal);
    signal.throwIfAborted();
  }
}

function isStray(pod: SeenPod, namespace: JobNamespace, runs: StrayParts['runs']): boolean {
  const { job } = pod;
  if (job === undefined || isOver(pod)) return false;
  if (runs.find(pod.namespace, job.name) !== undefined || runs.isPast(pod.namespace, job.name)) return false;
  return pod.isDeleting || namespace.job(job.name)?.uid !== job.uid;
}
