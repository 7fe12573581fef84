import { aborted } from '../../lib/aborted.ts';
import { latch } from '../../lib/latch.ts';
import { sleep } from '../../lib/sleep.ts';
import type { DeadLetters } from '../../run/dead-letters.ts';
import { FollowedPauses } from '../pause/followed-pauses.ts';
import type { PauseGate } from '../pause/pause-gate.ts';
import type { Shards } from '../shards/shards.ts';
import type { Remember } from './remembered.ts';
import { SlicedLetters } from './sliced-letters.ts';

export interface DividedRecordsOptions {
  readonly shards: Pick<Shards, 'slices' | 'status'>;
  readonly gate: PauseGate;
  readonly letters: DeadLetters;
  readonly remember: Pick<Remember, 'fresh' | 'flush' | 'changed'>;
}

/** How long the start waits for what is stored, and a slice that is given for what is to be stored. */
const LIMIT_MS = 5000;

/** Dead letters and pauses where several replicas work: each has the letters of its own slices, and all obey the pauses. */
export class DividedRecords {
  readonly letters: SlicedLetters;
  readonly #pauses: FollowedPauses;
  readonly #remember: DividedRecordsOptions['remember'];
  /** Letters are wanted: nothing of them is read before. */
  readonly #begun = latch();
  #hasBegun = false;

  constructor({ shards, gate, letters, remember }: DividedRecordsOptions) {
    this.#remember = remember;
    this.letters = new SlicedLetters({
      slices: shards.slices,
      letters,
      read: async (signal) => {
        const stored = await remember.fresh('letters', signal);
        return stored && (stored.letters ?? []);
      },
      onChange: () => remember.changed('letters'),
    });
    this.#pauses = new FollowedPauses({
      gate,
      read: async (signal) => {
        const stored = await remember.fresh('pauses', signal);
        return stored && (stored.pauses ?? []);
      },
      isLeading: () => shards.status.type === 'leading',
    });
  }

  /** The letters of the own slices are to be read from now on. */
  begin(): void {
    this.#hasBegun = true;
    this.#begun.resolve();
  }

  /** Resolves when the letters of the own slices and the pauses are read, after 5 s at most. */
  async open(signal: AbortSignal): Promise<void> {
    this.begin();
    await Promise.all([limited(signal, async (end) => this.letters.caughtUp(end)), this.adoptPauses(signal)]);
  }

  /** Takes over the pauses that are stored, for 5 s at most. */
  async adoptPauses(signal: AbortSignal): Promise<void> {
    await limited(signal, async (end) => this.#pauses.adopt(end));
  }

  /** Resolves when what has changed is stored, after 5 s at most. */
  async flush(signal: AbortSignal): Promise<void> {
    await limited(signal, async (end) => {
      // Letters that were given up before those of the slice were read are not written before either.
      if (this.#hasBegun) await this.letters.caughtUp(end);
      await this.#remember.flush(end);
    });
  }

  /** Follows the slices and the pauses until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#pauses.run(signal), this.#runLetters(signal)]);
  }

  async #runLetters(signal: AbortSignal): Promise<void> {
    await Promise.race([this.#begun.promise, aborted(signal)]);
    if (!signal.aborted) await this.letters.run(signal);
  }
}

async function limited(signal: AbortSignal, work: (end: AbortSignal) => Promise<void>): Promise<void> {
  const limit = new AbortController();
  const end = AbortSignal.any([signal, limit.signal]);
  const over = sleep(LIMIT_MS, end).then(() => limit.abort());
  await work(end).finally(() => limit.abort());
  await over;
}
