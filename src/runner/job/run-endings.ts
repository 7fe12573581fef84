import type { Metrics } from '../../metrics.ts';
import type { JobDeletions } from './job-deletions.ts';
import { executionOf } from './job-execution.ts';
import type { LiveRun } from './live-run.ts';
import type { LiveRuns } from './live-runs.ts';
import type { JobEnd } from './next-step.ts';

export interface RunEndingsOptions {
  readonly runs: LiveRuns;
  readonly deletions: JobDeletions;
  readonly metrics: Pick<Metrics, 'jobsFailedToStart'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** The runs that have ended and whose outcome is not recorded yet; with that, their Jobs go, or are kept for their log. */
export class RunEndings {
  readonly #options: RunEndingsOptions;
  readonly #ends = new Map<LiveRun, JobEnd>();

  constructor(options: RunEndingsOptions) {
    this.#options = options;
  }

  add(run: LiveRun, end: JobEnd): void {
    // A run that is left is none of this operator any more.
    if (end.type !== 'left') this.#ends.set(run, end);
    if (end.type === 'notStarted') this.#options.metrics.jobsFailedToStart.inc({ hook: run.facts.hook });
  }

  /** The outcome was recorded; of a run that has not ended, nothing happens. */
  conclude(run: LiveRun): void {
    const end = this.#ends.get(run);
    if (end === undefined) return;
    const { runs, deletions } = this.#options;
    const { facts, namespace, job: name, uid } = run;
    this.#ends.delete(run);
    run.conclude();
    runs.drop(run);
    const isKept = facts.keepFailedMs > 0 && hasLog(end) && executionOf(run, end).type === 'failed';
    const deadline = isKept ? { activeDeadlineSeconds: this.#deadlineSeconds(run) } : {};
    deletions.add({ namespace, name, uid, how: isKept ? 'keep' : 'delete', ...deadline });
  }

  /** The time to live begins when the Job ends, which it never does where a container of the Pod goes on. */
  #deadlineSeconds({ sight: { job }, facts: { keepFailedMs } }: LiveRun): number | undefined {
    if (job.type !== 'there') return undefined;
    const ageMs = Math.max(0, this.#options.now() - job.state.createdAtMs);
    return Math.ceil((ageMs + keepFailedMs) / 1000);
  }
}

/** Of other ends the Pod is gone, or may be created again. */
function hasLog({ type }: JobEnd): boolean {
  return type === 'result' || type === 'files' || type === 'silent';
}
