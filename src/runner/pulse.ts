/** The interval of ticks. A tick counts as this much silence, however late it fires. */
const TICK_MS = 1000;
/** A spawner process that owes an answer for this long counts as dead. */
const SILENCE_LIMIT_MS = 5000;
/** The limit for one that only waits for a CPU or a disk. */
const BUSY_LIMIT_MS = 30_000;
const WORKING_PAUSE_MS = 5000;
const IDLE_PAUSE_MS = 30_000;
const PING_AT_MS = TICK_MS;
const PROBLEM_AT_MS = 2 * TICK_MS;

/** The action at a tick. */
export type PulseAdvice = 'wait' | 'ping' | 'kill';

/**
 * Decides whether the spawner process still answers. Silence is measured in ticks of this process, so that a pause of
 * this process, of the container or of the machine does not count as silence of the spawner.
 */
export class Pulse {
  #isOwed = false;
  #wasHeard = false;
  #silentMs = 0;

  /** A request was sent that must be answered soon; returns true when the next tick must come sooner because of it. */
  ask(): boolean {
    const isNew = !this.#isOwed;
    this.#isOwed = true;
    return isNew;
  }

  /** Data arrived from the spawner process. */
  hear(): void {
    this.#isOwed = false;
    this.#wasHeard = true;
    this.#silentMs = 0;
  }

  /**
   * `isBusy` returns whether the spawner process is only delayed by the machine; it is called only when that matters.
   */
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

  /** Time until the next tick: long when no answer is due, longer when nothing runs. */
  pauseMs(runs: number): number {
    if (this.#isOwed) return TICK_MS;
    return runs > 0 ? WORKING_PAUSE_MS : IDLE_PAUSE_MS;
  }

  /** How long an answer has been missing, once that is worth reporting; else undefined. */
  get lateMs(): number | undefined {
    return this.#silentMs >= PROBLEM_AT_MS ? this.#silentMs : undefined;
  }
}
