import type { HandedRun, HeldRun } from '../../hook/work-desk.ts';

/**
 * A run that this worker has, from when it arrives until its result was taken or nobody wants it any more: `begins` until
 * its hook may have been started, `executes` while it runs, `hands in` while its result is sent.
 */
export class LiveRun {
  readonly handed: HandedRun;
  /** `begins`, `executes`, `hands in`. */
  phase: 'begins' | 'executes' | 'hands in' = 'begins';
  readonly #ending = new AbortController();
  readonly #over = new AbortController();

  constructor(handed: HandedRun) {
    this.handed = handed;
  }

  get held(): HeldRun {
    const { run, epoch } = this.handed;
    return { runId: run.runId, epoch };
  }

  /** Aborts when the hook is to end, with why as the message of its reason. */
  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  /** Aborts when nobody wants the result any more. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Ends the hook; where `isOver`, its result is not sent. */
  end(why: string, isOver: boolean): void {
    if (isOver) this.#over.abort(new Error(why));
    this.#ending.abort(new Error(why));
  }
}
