import type { Hook } from '../hook/binding.ts';
import { newTask } from '../hook/task.ts';
import type { AskTrigger } from '../hook/trigger.ts';
import type { RunJournal } from './journal.ts';
import { newRun, type Run, type RunOutcome } from './run.ts';

/**
 * Runs a hook for a caller that waits for its response: now, beside the queues, and on every replica. Never rejects; the
 * hook is ended when `signal` aborts.
 */
export type Ask = (trigger: AskTrigger, signal: AbortSignal) => Promise<RunOutcome>;

export interface AskedRunsOptions {
  /** Runs the hook once; never rejects. */
  readonly run: (run: Run, signal: AbortSignal) => Promise<RunOutcome>;
  readonly journal: RunJournal;
  readonly now: () => number;
}

/** The runs that callers wait for. It takes none after its end has begun. */
export class AskedRuns {
  readonly #options: AskedRunsOptions;
  readonly #open = new Set<Promise<RunOutcome>>();
  #isEnding = false;

  constructor(options: AskedRunsOptions) {
    this.#options = options;
  }

  /** The door for what asks one hook. */
  askerOf(hook: Hook): Ask {
    return async (trigger, signal) => {
      if (this.#isEnding) return { type: 'interrupted', by: 'shutdown', error: new Error('the operator stops') };
      const running = this.#run(hook, trigger, signal);
      this.#open.add(running);
      return running.finally(() => this.#open.delete(running));
    };
  }

  /** Refuses what comes from now on; resolves when nothing runs any more. */
  async end(): Promise<void> {
    this.#isEnding = true;
    await Promise.all(this.#open);
  }

  async #run(hook: Hook, trigger: AskTrigger, signal: AbortSignal): Promise<RunOutcome> {
    const { run: execute, journal, now } = this.#options;
    const run = newRun(newTask(hook, trigger, now()), '');
    const outcome = await execute(run, signal);
    journal.record({ type: 'ended', run, outcome, next: { type: 'answer' } });
    return outcome;
  }
}
