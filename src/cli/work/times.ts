import type { ReachTimes } from '../agent/reach.ts';

/** The limits and pauses of a worker; what depends on the terms of the operator is not here. */
export interface WorkerTimes extends ReachTimes {
  readonly connectLimitMs: number;
  /** How often a connection is asked whether it lives. */
  readonly pingMs: number;
  /** How long lines wait for others after lines were sent. */
  readonly batchMs: number;
  /** How long lines that are left when a hook has ended hold its result up. */
  readonly linesLimitMs: number;
  /** How long a leave is tried. */
  readonly leaveLimitMs: number;
}

export const WORKER_TIMES: WorkerTimes = {
  retry: { initialMs: 200, maxMs: 5000 },
  sayEveryMs: 10_000,
  connectLimitMs: 3000,
  pingMs: 5000,
  batchMs: 200,
  linesLimitMs: 30_000,
  leaveLimitMs: 5000,
};
