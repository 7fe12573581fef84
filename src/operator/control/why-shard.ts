import { HookConfigError, summaryOf } from '../../errors.ts';
import type { Hook, KubernetesBinding, ReconcileBinding } from '../../hook/binding.ts';
import type { WhyCheck } from '../../hook/operator-view.ts';
import { isDivided } from '../../hook/shard-rules.ts';
import { SLICES, sliceOfText } from '../../lib/slice-hash.ts';
import { fieldOfKind } from '../../sources/kubernetes/divisions.ts';
import type { Shards } from '../shards/shards.ts';
import type { PlacedObject, SelectionOptions } from './why-selection.ts';

export type ObjectShards = Pick<Shards, 'members' | 'slices' | 'status'>;

/** Checks whether this replica runs a hook for an object, or which one does. */
export function ofReplica(
  hook: Hook,
  binding: KubernetesBinding | ReconcileBinding,
  shards: ObjectShards,
): NonNullable<SelectionOptions['replica']> {
  if (!isDivided(binding)) return () => ofLeader(shards);
  return (kind, object) => {
    try {
      return ofSlice(fieldOfKind(hook, binding, kind), object, shards);
    } catch (error) {
      if (error instanceof HookConfigError) return { field: 'shard', result: 'unknown', message: summaryOf(error) };
      throw error;
    }
  };
}

function ofLeader({ status }: ObjectShards): WhyCheck | undefined {
  if (status.type === 'leading') return undefined;
  const leader = status.type === 'standing-by' ? status.leader : '';
  const where = leader === '' ? 'and none is known to' : `which is ${leader}: ask there`;
  return {
    field: 'shard',
    result: 'no',
    message: `its objects are not divided: the replica that leads runs the hook, ${where}`,
  };
}

function ofSlice(
  by: 'namespace' | 'uid',
  object: PlacedObject,
  { members, slices }: ObjectShards,
): WhyCheck | undefined {
  const value = object[by];
  if (value === undefined) return undefined;
  const index = sliceOfText(slices.hash, value);
  const which = `by its ${by} it is in slice ${String(index).padStart(2, '0')} of ${SLICES}`;
  const isOwn = slices.owned.some((slice) => slice.index === index && !slice.given.aborted);
  if (isOwn) return { field: 'shard', result: 'yes', message: `${which}, which this replica has` };
  const holder = members.members.find((member) => member.slices.includes(index))?.identity;
  if (holder === undefined) {
    return { field: 'shard', result: 'unknown', message: `${which}, which no replica is known to have now` };
  }
  const isMoving = holder === members.identity;
  const message = isMoving
    ? `${which}, which is on its way to or from this replica`
    : `${which}, which ${holder} has: ask there`;
  return { field: 'shard', result: isMoving ? 'unknown' : 'no', message };
}
