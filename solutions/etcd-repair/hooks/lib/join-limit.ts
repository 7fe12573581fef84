export interface JoinLimit {
  /** For all but the transfer of the database. */
  readonly joinWithinMs: number;
  readonly databaseBytes: number;
  /** How many learners before this one did not come up. */
  readonly attempt: number;
  readonly bytesPerSecond?: number;
}

/** Minimum rate at which a new member must load the database. */
const LEAST_BYTES_PER_SECOND = 4 * 1024 * 1024;
/** Minimum rate while the leader reports that it is sending; how much has arrived is unknown. */
export const LEAST_BYTES_PER_SECOND_SENT = 128 * 1024;

/** How long a step of a new member may take: longer for a large database, and twice as long for each attempt. */
export function joinLimitMs({
  joinWithinMs,
  databaseBytes,
  attempt,
  bytesPerSecond = LEAST_BYTES_PER_SECOND,
}: JoinLimit): number {
  return (joinWithinMs + (1000 * databaseBytes) / bytesPerSecond) * 2 ** attempt;
}
