import { refused } from '../desk-refusal.ts';

/** How long a worker may be silent, unless it is set. */
export const SILENCE_MS = 15_000;

/** How often a worker has to beat. */
export function beatMsOf(silenceMs: number): number {
  return Math.floor(silenceMs / 3);
}

export const NO_LEADER = refused(503, 'this replica does not lead: ask again, or ask another');
