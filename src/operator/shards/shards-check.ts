import type { HealthCheck } from '../../server/health.ts';
import type { Shards } from './shards.ts';

/** The check of `/readyz` of a replica that divides objects with others; one that waits for its first slice is ready. */
export function shardsCheck({ members, status }: Pick<Shards, 'members' | 'status'>): HealthCheck {
  const { state, identity, members: all, problem } = members;
  const own = all.find((member) => member.identity === identity)?.slices.length ?? 0;
  const role = status.type === 'leading' ? ', and leads' : '';
  const isOk = state === 'member' && problem === undefined;
  return { name: 'shards', isOk, message: problem ?? `${state}, has ${own} of 64 slices${role}` };
}
