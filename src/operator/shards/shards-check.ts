import type { HealthCheck } from '../../server/health.ts';
import type { Shards } from './shards.ts';
import { movesText, shardsView } from './shards-view.ts';

/**
 * The check of `/readyz` of a replica that divides objects with others. One that waits is ready: for its first slice, and
 * until those have ended that divide them in another way, or a rolling update would never end them.
 */
export function shardsCheck(shards: Pick<Shards, 'members' | 'status'>): HealthCheck {
  const view = shardsView(shards);
  const { state, count, slices, members, unheld, problem } = view;
  const role = shards.status.type === 'leading' ? ', and leads' : '';
  const which = count === 0 ? '' : ` (${slices})`;
  const of = members.length > 1 ? `, one of ${members.length} members` : '';
  const moves = movesText(view);
  const more = [
    ...(moves === '' ? [] : [moves]),
    ...(unheld === 0 ? [] : [`${unheld} slices are nobody's at the moment`]),
  ].map((text) => `; ${text}`);
  const isOk = state === 'member' && (problem === undefined || shards.members.isWaiting === true);
  const message = `${state}, has ${count} of 64 slices${which}${of}${role}${more.join('')}`;
  return { name: 'shards', isOk, message: problem ?? message };
}
