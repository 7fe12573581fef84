import type { DeskAnswer, DeskRefusalStatus } from '../hook/remote-run.ts';

/** Why a Pod gets no answer. */
export type Refused = Extract<DeskAnswer<never>, { type: 'refused' }>;

/** Refuses what a Pod asks. */
export function refused(status: DeskRefusalStatus, message: string): Refused {
  return { type: 'refused', status, message };
}
