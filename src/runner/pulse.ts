/** How long one tick is, and the most that one counts, however late it comes. */
const TICK_MS = 1000;
/** A spawner that owes an answer for so long is dead for us. */
const SILENCE_LIMIT_MS = 5000;
/** One that is only waiting for a processor or a disk is given this. */
const BUSY_LIMIT_MS = 30_000;
const WORKING_PAUSE_MS = 5000;
const IDLE_PAUSE_MS = 30_000;
const PING_AT_MS = TICK_MS;
const PROBLEM_AT_MS = 2 * TICK_MS;

/** What to do at a tick. */
export type PulseAdvice = 'wait' | 'ping' | 'kill';

/**
 * Decides whether the spawner process still answers. Its silence is counted in ticks of this process, so that a pause of
 * this process itself, of the container or of the machine is not taken for silence of the other one.
 */
export class Pulse {
  #isOwed = false;
  #wasHeard = false;
  #silentMs = 0;

  /** Something was asked that is answered soon; true where the next tick has to come sooner for it. */
  ask(): boolean {
    const isNew = !this.#isOwed;
    this.#isOwed = true;
    return isNew;
  }

  /** Anything at all came from it. */
  hear(): void {
    this.#isOwed = false;
    this.#wasHeard = true;
    this.#silentMs = 0;
  }

  /** `isBusy` tells whether it would go on if the machine let it; it is asked only when it matters. */
  tick(isBusy: () => boolean): PulseAdvice {
    const wasHeard = this.#wasHeard;
    this.#wasHeard = false;
    if (!this.#isOwed) {
      if (wasHeard) return 'wait';
      this.#isOwed = true;
      return 'ping';
    }
    this.#silentMs += TICK_MS;
    if (this.#silentMs === PING_AT_MS) return 'ping';
    if (this.#silentMs < SILENCE_LIMIT_MS) return 'wait';
    return this.#silentMs < BUSY_LIMIT_MS && isBusy() ? 'wait' : 'kill';
  }

  /** Until the next tick: one that owes nothing is left in peace, longer when it runs nothing. */
  pauseMs(runs: number): number {
    if (this.#isOwed) return TICK_MS;
    return runs > 0 ? WORKING_PAUSE_MS : IDLE_PAUSE_MS;
  }

  /** How long an answer has been missing, once that is worth a word; else undefined. */
  get lateMs(): number | undefined {
    return this.#silentMs >= PROBLEM_AT_MS ? this.#silentMs : undefined;
  }
}
