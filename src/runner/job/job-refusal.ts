import type { DeskAnswer, DeskRefusalStatus } from '../../hook/remote-run.ts';

/** Refuses what a Pod asks. */
export function refused(status: DeskRefusalStatus, message: string): Extract<DeskAnswer<never>, { type: 'refused' }> {
  return { type: 'refused', status, message };
}
