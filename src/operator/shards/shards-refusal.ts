import { refusalOf } from '../leadership.ts';
import type { Shards } from './shards.ts';

/** Why this replica refuses a change that only the holder of slice 00 may make; undefined on that one. */
export function notLeading({ status }: Pick<Shards, 'status'>): string | undefined {
  if (status.type !== 'standing-by') return refusalOf(status);
  const { leader } = status;
  if (leader === '') return 'this replica does not lead, and no leader is known';
  return `this replica does not lead, ${leader} does, which has slice 00; ask that one, such as: kubectl exec ${leader.replace(/_[^_]*$/, '')} -- hooklet status`;
}

/** Why this replica refuses a change about objects of its slices; undefined where it works on some. */
export function notWorking({ status, hasBegun }: Pick<Shards, 'status' | 'hasBegun'>): string | undefined {
  if (status.type === 'lost') return refusalOf(status);
  return hasBegun ? undefined : 'this replica has no slices yet';
}
