import type { HealthCheck } from '../../server/health.ts';
import type { Shards } from './shards.ts';
import { movesText, shardsView } from './shards-view.ts';

/** The check of `/readyz` of a replica that divides objects with others; one that waits for its first slice is ready. */
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
  const isOk = state === 'member' && problem === undefined;
  const message = `${state}, has ${count} of 64 slices${which}${of}${role}${more.join('')}`;
  return { name: 'shards', isOk, message: problem ?? message };
}
