import { StatusError } from './status-error.ts';

/** Steps that wait are taken together, at most so many. */
const BATCH = 500;

/** What a feed does with its steps. */
export interface FeedHandler<Step> {
  /** Prepares steps. */
  take(steps: readonly Step[]): Promise<void>;
  /** Called for each step, in order, when it is prepared. */
  taken(step: Step): void;
  /** Called once, when a preparation fails; nothing follows. */
  failed(error: StatusError): void;
}

/** Hands steps on in their order, each when it is prepared. */
export class WatchFeed<Step> {
  readonly #handler: FeedHandler<Step>;
  #waiting: Step[] = [];
  #state: 'idle' | 'busy' | 'ended' = 'idle';

  constructor(handler: FeedHandler<Step>) {
    this.#handler = handler;
  }

  push(step: Step): void {
    if (this.#state === 'ended') return;
    this.#waiting.push(step);
    if (this.#state === 'idle') void this.#run();
  }

  end(): void {
    this.#state = 'ended';
    this.#waiting = [];
  }

  async #run(): Promise<void> {
    this.#state = 'busy';
    // What is pushed in the same moment is prepared with it.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const steps = this.#waiting.splice(0, BATCH);
      try {
        await this.#handler.take(steps);
        for (const step of steps) if (!this.#hasEnded()) this.#handler.taken(step);
      } catch (error) {
        if (!this.#hasEnded()) this.#handler.failed(asStatus(error));
        this.end();
      }
    }
    if (!this.#hasEnded()) this.#state = 'idle';
  }

  #hasEnded(): boolean {
    return this.#state === 'ended';
  }
}

function asStatus(error: unknown): StatusError {
  if (error instanceof StatusError) return error;
  return new StatusError({ code: 500, reason: 'InternalError', message: String(error) });
}
