import type { Hook } from '../hook/binding.ts';
import { newTask } from '../hook/task.ts';
import type { AskTrigger } from '../hook/trigger.ts';
import { endedWhole, type RunJournal } from './journal.ts';
import { newRun, type Run, type RunOutcome } from './run.ts';

/**
 * Runs a hook for a caller that waits for its response: immediately, outside the queues, and on every replica. Never
 * rejects. The hook is ended when `signal` aborts.
 */
export type Ask = (trigger: AskTrigger, signal: AbortSignal) => Promise<RunOutcome>;

export interface AskedRunsOptions {
  /** Runs the hook once; never rejects. */
  readonly run: (run: Run, signal: AbortSignal) => Promise<RunOutcome>;
  readonly journal: RunJournal;
  readonly now: () => number;
}

/**
 * The runs that callers wait for, such as a request with a review. `Runs` creates it beside its queues. A source gets
 * an `Ask` for one hook from `askerOf` and calls it for each request, at any time and in parallel: there is no order,
 * no combining, no rate limit and no retry. The outcome goes to the caller and, as `ended`, to the journal.
 *
 * Open until `end` is called: from then on every ask resolves to `interrupted`, and `end` waits for the runs before it.
 */
export class AskedRuns {
  readonly #options: AskedRunsOptions;
  readonly #open = new Set<Promise<RunOutcome>>();
  #isEnding = false;

  constructor(options: AskedRunsOptions) {
    this.#options = options;
  }

  /** Returns the function that runs `hook` for a caller. */
  askerOf(hook: Hook): Ask {
    return async (trigger, signal) => {
      if (this.#isEnding) return { type: 'interrupted', by: 'shutdown', error: new Error('the operator stops') };
      const running = this.#run(hook, trigger, signal);
      this.#open.add(running);
      return running.finally(() => this.#open.delete(running));
    };
  }

  /** Refuses new asks; resolves when all runs have ended. */
  async end(): Promise<void> {
    this.#isEnding = true;
    await Promise.all(this.#open);
  }

  async #run(hook: Hook, trigger: AskTrigger, signal: AbortSignal): Promise<RunOutcome> {
    const { run: execute, journal, now } = this.#options;
    const run = newRun(newTask(hook, trigger, now()), '');
    const outcome = await execute(run, signal);
    journal.record(endedWhole(run, outcome, { type: 'answer' }));
    return outcome;
  }
}
