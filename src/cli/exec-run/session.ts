import { exponentialBackoff } from '../../lib/backoff.ts';
import { sleep } from '../../lib/sleep.ts';
import type { JobClaim } from '../../hook/job-desk.ts';
import type { Asking, Reach, Reached } from '../agent/reach.ts';
import { askOf, CLAIM, type JobAsk } from './asks.ts';
import type { AgentTimes } from './times.ts';

/** What became of something that was asked with the epoch of the claim. */
export type Told<T> =
  | Reached<T>
  /** Another leader has given a new epoch: what was asked may be asked again. */
  | { readonly type: 'renewed' }
  /** The run is not this Pod's any more, or has ended. */
  | { readonly type: 'lost' };

export interface SessionOptions {
  readonly job: string;
  readonly reach: Reach;
  readonly times: Pick<AgentTimes, 'unknownLimitMs' | 'resultLimitMs' | 'retry'>;
  readonly say: (text: string) => void;
}

const NOT_KNOWN = 404;
const OTHER_CLAIM = 409;

/**
 * The claim of this Pod on its run. An operator that does not know it, or counts another claim, is asked for it anew: then
 * this Pod goes on with a new epoch, or has lost the run, and must end its hook.
 */
export class Session {
  readonly #options: SessionOptions;
  readonly #lost = new AbortController();
  #claim: JobClaim;
  #renewing: Promise<void> | undefined;

  constructor(claim: JobClaim, options: SessionOptions) {
    this.#claim = claim;
    this.#options = options;
  }

  get claim(): JobClaim {
    return this.#claim;
  }

  /** Aborts when the run is lost, with why as the message of its reason. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Asks once with the present epoch, and claims anew where that does not count any more. */
  async ask<T>(ask: JobAsk<T>, { limitMs, signal }: Asking): Promise<Told<T>> {
    if (this.lost.aborted) return { type: 'lost' };
    const { epoch } = this.#claim;
    const either = AbortSignal.any([signal, this.lost]);
    const { reach, job } = this.#options;
    const reached = await reach.until(askOf(job, ask, epoch), { limitMs, signal: either });
    if (reached.type === 'refused' && (reached.status === NOT_KNOWN || reached.status === OTHER_CLAIM)) {
      if (epoch === this.#claim.epoch) await this.#renew(signal);
      return signal.aborted && epoch === this.#claim.epoch
        ? { type: 'unreached', why: reached.message }
        : this.#state();
    }
    return this.lost.aborted ? { type: 'lost' } : reached;
  }

  /** As `ask`, and again with each new epoch. */
  async askOn<T>(ask: JobAsk<T>, asking: Asking): Promise<Exclude<Told<T>, { readonly type: 'renewed' }>> {
    const backoff = exponentialBackoff(this.#options.times.retry);
    for (;;) {
      const told = await this.ask(ask, asking);
      if (told.type !== 'renewed') return told;
      await sleep(backoff.next(), asking.signal);
    }
  }

  /** Gives the run up. */
  lose(why: string): void {
    this.#lost.abort(new Error(why));
  }

  #state(): { readonly type: 'renewed' | 'lost' } {
    return { type: this.lost.aborted ? 'lost' : 'renewed' };
  }

  /** Claims anew, once for all who need it. */
  async #renew(signal: AbortSignal): Promise<void> {
    this.#renewing ??= this.#claimAnew(signal).finally(() => (this.#renewing = undefined));
    await this.#renewing;
  }

  async #claimAnew(signal: AbortSignal): Promise<void> {
    const { reach, job, times, say } = this.#options;
    const backoff = exponentialBackoff(times.retry);
    const unknownUntil = performance.now() + times.unknownLimitMs;
    for (;;) {
      const reached = await reach.until(askOf(job, CLAIM), { limitMs: times.resultLimitMs, signal });
      if (signal.aborted) return;
      if (reached.type === 'ok') {
        this.#claim = reached.value;
        say(`the run was claimed anew, its epoch is ${reached.value.epoch}`);
        return;
      }
      const isUnknown = reached.type === 'refused' && reached.status === NOT_KNOWN;
      if (!isUnknown || performance.now() >= unknownUntil) return this.lose(whyOf(reached));
      await sleep(backoff.next(), signal);
    }
  }
}

function whyOf(reached: Exclude<Reached<JobClaim>, { readonly type: 'ok' }>): string {
  return reached.type === 'refused' ? `${reached.message} (${reached.status})` : reached.why;
}
