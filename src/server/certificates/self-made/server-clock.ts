import type { Logger } from '../../../log.ts';
import type { CertificateClock } from '../clock.ts';

/** A larger difference between the clocks is logged. */
const TOLD_MS = 60_000;
/** With more than this, certificates would be made that the API server does not take yet or no longer: its time counts. */
const CORRECTED_MS = 15 * 60_000;
/** A clock that moved by more than this since the last look has been set. */
const SET_MS = 30_000;

/** The time by which certificates are made and judged: that of this process, or of the API server where the two are far apart. */
export class ServerClock implements CertificateClock {
  readonly monotonicMs: () => number;
  readonly #clock: CertificateClock;
  readonly #log: Logger;
  #offsetMs = 0;
  #toldMs = 0;
  /** The clock of this process minus the monotonic one, at the last look. */
  #baseMs: number;

  constructor(clock: CertificateClock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
    this.monotonicMs = clock.monotonicMs;
    this.#baseMs = clock.now() - clock.monotonicMs();
  }

  readonly now = (): number => this.#clock.now() + this.#offsetMs;

  /** Whether the clock was set since the last call, so that the API server should be asked for its time. */
  wasSet(): boolean {
    const baseMs = this.#clock.now() - this.#clock.monotonicMs();
    const isSet = Math.abs(baseMs - this.#baseMs) > SET_MS;
    this.#baseMs = baseMs;
    return isSet;
  }

  /** Compares with the time of the API server, which says whole seconds. */
  readonly heard = (serverMs: number): void => {
    const aheadMs = this.#clock.now() - (serverMs + 500);
    this.#offsetMs = Math.abs(aheadMs) > CORRECTED_MS ? -aheadMs : 0;
    if (Math.abs(aheadMs - this.#toldMs) <= TOLD_MS) return;
    this.#toldMs = aheadMs;
    const fields = { aheadSeconds: Math.round(aheadMs / 1000) };
    if (Math.abs(aheadMs) > TOLD_MS) this.#log.warn(fields, 'the clock differs from that of the API server');
    else this.#log.info(fields, 'the clock agrees with that of the API server again');
  };
}
