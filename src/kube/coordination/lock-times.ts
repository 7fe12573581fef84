/** How long a holder may be silent; each time must be longer than the next one. */
export interface LockTimes {
  /** Others take the lock when they have seen no renewal for this long. */
  readonly durationMs: number;
  /** What the holder does is killed from outside when the holder itself stood still since its last renewal. */
  readonly fenceMs: number;
  /** The holder gives up when it could not renew for this long; what it does must be over before `durationMs`. */
  readonly deadlineMs: number;
  /** Time between two renewals. */
  readonly renewMs: number;
}

/** The times of a lock that others may take after `durationMs`. */
export function lockTimes(durationMs: number): LockTimes {
  return { durationMs, fenceMs: (durationMs * 5) / 6, deadlineMs: durationMs / 2, renewMs: durationMs / 6 };
}

/** The time after which others take a lock whose holder is gone, unless the holder chose another. */
export const LOCK_DURATION_MS = 30_000;
