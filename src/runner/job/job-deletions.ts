import { KubeError } from '../../errors.ts';
import { isConflict } from '../../kube/api-error.ts';
import type { KubeClient } from '../../kube/client.ts';
import { tokenBucket } from '../../kube/rate-limit.ts';
import { exponentialBackoff } from '../../lib/backoff.ts';
import { Channel } from '../../lib/channel.ts';
import { sleep } from '../../lib/sleep.ts';
import type { Logger } from '../../log.ts';
import { deleteJob, markConcluded, type DeletedJob, type KeptJob } from './job-requests.ts';

/** What is to become of a Job whose run is over. */
export interface JobCleaning extends KeptJob {
  /** `keep`: it is only noted that its outcome was recorded, and the Job goes by its time to live. */
  readonly how: 'delete' | 'keep';
}

/** Thousands may be left over, and what runs must not wait for them. */
const PER_SECOND = 5;
const BACKOFF = { initialMs: 1000, maxMs: 60_000, jitter: 0.2 };

/** Deletes Jobs in the background, at a limited rate, and again where that failed. */
export class JobDeletions {
  readonly #client: Pick<KubeClient, 'request'>;
  readonly #log: Logger;
  readonly #waiting = new Channel<JobCleaning>();
  readonly #pace = tokenBucket({ perSecond: PER_SECOND, burst: PER_SECOND });

  constructor(client: Pick<KubeClient, 'request'>, log: Logger) {
    this.#client = client;
    this.#log = log;
  }

  add(job: JobCleaning): void {
    this.#waiting.push(job);
  }

  /** Deletes a Job at once; what failed is tried again in the background. Never rejects. */
  async now(job: DeletedJob): Promise<void> {
    try {
      await deleteJob(this.#client, job, new AbortController().signal);
    } catch {
      this.add({ ...job, how: 'delete' });
    }
  }

  /** Works until `signal` aborts; the next leader deletes what is left. */
  async run(signal: AbortSignal): Promise<void> {
    const close = (): void => this.#waiting.close();
    signal.addEventListener('abort', close, { once: true });
    if (signal.aborted) close();
    for await (const job of this.#waiting) {
      if (signal.aborted) return;
      await this.#pace(signal).catch(() => {});
      await this.#untilDone(job, signal);
    }
  }

  async #untilDone(job: JobCleaning, signal: AbortSignal): Promise<void> {
    const backoff = exponentialBackoff(BACKOFF);
    while (!signal.aborted) {
      try {
        return await (job.how === 'delete' ? deleteJob : markConcluded)(this.#client, job, signal);
      } catch (error) {
        if (signal.aborted) return;
        const isPast = isConflict(error) && job.uid !== undefined;
        // Another Job has its name, or this one has changed, and the watch tells what of.
        if (isPast) return;
        if (!(error instanceof KubeError) || !error.isRetryable) {
          this.#log.warn({ err: error, job: job.name, namespace: job.namespace }, 'a Job could not be deleted');
          return;
        }
        await sleep(Math.max(error.retryAfterMs ?? 0, backoff.next()), signal);
      }
    }
  }
}
