import type { RepairEvent } from './etcd-repair-rig.ts';

/** The reasons of Events that end a repair, done or canceled. */
export const ENDS = ['Repaired', 'Recovered', 'NotVerified', 'Abandoned'];

/** What is wrong with the Events of a cluster: each repair must end exactly once, before the next begins. */
export function untoldEnds(events: readonly Pick<RepairEvent, 'reason' | 'message'>[]): readonly string[] {
  const wrong: string[] = [];
  let begun: string | undefined;
  for (const { reason, message } of events) {
    if (reason === 'RepairStarted') {
      if (begun !== undefined) wrong.push(`never ended: ${begun}`);
      begun = message;
    } else if (ENDS.includes(reason)) {
      if (begun === undefined) wrong.push(`ended, but not begun: ${reason}, ${message}`);
      begun = undefined;
    }
  }
  return begun === undefined ? wrong : [...wrong, `never ended: ${begun}`];
}
