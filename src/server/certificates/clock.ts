/** The clocks that certificates are kept by; tests drive them. */
export interface CertificateClock {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Milliseconds that never jump, for how long something has been seen. */
  readonly monotonicMs: () => number;
}

export const SYSTEM_CLOCK: CertificateClock = { now: Date.now, monotonicMs: () => performance.now() };
