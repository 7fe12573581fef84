import type { Pause } from '../../hook/pause-control.ts';
import { sleep } from '../../lib/sleep.ts';
import type { PauseGate } from './pause-gate.ts';

export interface FollowedPausesOptions {
  readonly gate: Pick<PauseGate, 'rules' | 'paused' | 'resumed'>;
  /** Reads what is stored now; undefined when `signal` aborts first. */
  readonly read: (signal: AbortSignal) => Promise<readonly Pause[] | undefined>;
  /** Whether this replica leads: then it pauses and resumes itself. */
  readonly isLeading: () => boolean;
}

/** A replica may run what was paused on the leader for this long; nothing tells it sooner. */
export const FOLLOW_EVERY_MS = 5000;

/** Has the pauses by hand of the leader, which stores them, hold on a replica that works beside it. */
export class FollowedPauses {
  readonly #options: FollowedPausesOptions;

  /** Since this replica leads. */
  #led: Promise<void> | undefined;

  constructor(options: FollowedPausesOptions) {
    this.#options = options;
  }

  /** Takes over what is stored: a leader once, before it pauses anything itself. */
  async adopt(signal: AbortSignal): Promise<void> {
    if (!this.#options.isLeading()) return this.#adopt(signal);
    this.#led ??= this.#adopt(signal);
    return this.#led;
  }

  async #adopt(signal: AbortSignal): Promise<void> {
    const { gate, read, isLeading } = this.#options;
    const wasLeading = isLeading();
    const pauses = await read(signal);
    // A leader that has begun meanwhile reads anew.
    if (pauses === undefined || isLeading() !== wasLeading || !gate.rules.replace(pauses)) return;
    gate.paused();
    gate.resumed();
  }

  /** Takes over what is stored every 5 s while another replica leads, until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await sleep(FOLLOW_EVERY_MS, signal);
      if (!signal.aborted && !this.#options.isLeading()) await this.adopt(signal);
    }
  }
}
