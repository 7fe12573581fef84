import type { RepairEvent } from './etcd-repair-rig.ts';

/** How a repair ends: done, or called off. */
export const ENDS = ['Repaired', 'Recovered', 'NotVerified', 'Abandoned'];

/** What is wrong with the Events of a cluster: each repair that was begun ends once, before the next begins. */
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
