import type { Hook } from '../hook/binding.ts';
import { newTask } from '../hook/task.ts';
import type { AskTrigger } from '../hook/trigger.ts';
import { nextTurn } from '../lib/turn.ts';
import { AskSlots, type AskLimits } from './ask-slots.ts';
import { endedWhole, type RunJournal } from './journal.ts';
import type { Next } from './policy.ts';
import { newRun, type Run, type RunOutcome } from './run.ts';

/**
 * Runs a hook for a caller that waits for its response: immediately, outside the queues, and on every replica. Never
 * rejects. The hook is ended when `signal` aborts.
 */
export type Ask = (trigger: AskTrigger, signal: AbortSignal) => Promise<AskOutcome>;

/** What became of a request. */
export type AskOutcome = (RunOutcome & { readonly runId?: string }) | RefusedAsk;

/** The hook was not run: too many processes of hooks answer requests already. */
export interface RefusedAsk {
  readonly type: 'refused';
  readonly reason: string;
}

export interface AskedRunsOptions {
  /** Runs the hook once; never rejects. */
  readonly run: (run: Run, signal: AbortSignal) => Promise<RunOutcome>;
  readonly journal: RunJournal;
  /** Of processes; warm hooks have no limit of their own. Default: 32 at once, and 64 that wait. */
  readonly limits?: AskLimits | undefined;
  readonly now: () => number;
}

const LIMITS: AskLimits = { maxRunning: 32, maxWaiting: 64 };

/**
 * The runs that callers wait for, such as a request with a review. `Runs` creates it beside its queues. A source gets
 * an `Ask` for one hook from `askerOf` and calls it for each request, at any time and in parallel: there is no order,
 * no combining, no rate limit and no retry, only a limit of the processes that run at once. The outcome goes to the
 * caller and, as `ended` in the turn after that, to the journal: a caller does not wait for a log line.
 *
 * Open until `end` is called: from then on every ask resolves to `interrupted`, and `end` waits for the runs before it.
 */
export class AskedRuns {
  readonly #options: AskedRunsOptions;
  readonly #slots: AskSlots;
  readonly #open = new Set<Promise<unknown>>();
  #isEnding = false;

  constructor(options: AskedRunsOptions) {
    this.#options = options;
    this.#slots = new AskSlots(options.limits ?? LIMITS);
  }

  /** Returns the function that runs `hook` for a caller. */
  askerOf(hook: Hook): Ask {
    return async (trigger, signal) => {
      if (this.#isEnding) return { type: 'interrupted', by: 'shutdown', error: new Error('the operator stops') };
      return this.#tracked(this.#inSlot(hook, trigger, signal));
    };
  }

  /** Refuses new asks; resolves when all runs have ended, and the journal knows it. */
  async end(): Promise<void> {
    this.#isEnding = true;
    while (this.#open.size > 0) await Promise.all(this.#open);
  }

  async #tracked<T>(work: Promise<T>): Promise<T> {
    this.#open.add(work);
    try {
      return await work;
    } finally {
      this.#open.delete(work);
    }
  }

  async #inSlot(hook: Hook, trigger: AskTrigger, signal: AbortSignal): Promise<AskOutcome> {
    if (hook.type === 'warm') return this.#run(hook, trigger, signal);
    const outcome = await this.#slots.during(async () => this.#run(hook, trigger, signal), signal);
    return outcome.type === 'no-slot' ? { type: 'refused', reason: outcome.reason } : outcome;
  }

  async #run(hook: Hook, trigger: AskTrigger, signal: AbortSignal): Promise<Exclude<AskOutcome, RefusedAsk>> {
    const { run: execute, journal, now } = this.#options;
    const run = newRun(newTask(hook, trigger, now()), '');
    const outcome = await execute(run, signal);
    const next: Next = { type: 'answer', ...(signal.aborted && { isLate: true }) };
    const record = (): void => journal.record(endedWhole(run, outcome, next));
    void this.#tracked(nextTurn().then(record));
    return { ...outcome, runId: run.id };
  }
}
