import type { Member } from './observed.ts';
import type { Step } from './step.ts';

/** The step that moves leadership away from a member; undefined if it does not lead, or no other member can. */
export function handOver(members: readonly Member[], from: Member): Step | undefined {
  const to = members.find(({ id, isHealthy, isLearner }) => id !== from.id && isHealthy && !isLearner);
  if (!from.isLeader || to === undefined) return undefined;
  return { do: 'move-leader', member: to.name, id: to.id, from: from.name };
}
