import { guardSameData } from './guard-data.ts';
import { guardLost } from './guard-lost.ts';
import { guardCertificates, guardTarget } from './guards.ts';
import { guardNewPod } from './new-pod.ts';
import type { RepairRecord } from './record.ts';
import { isSnapshotGood } from './snapshot.ts';
import type { Turn } from './turn.ts';

/**
 * Whether the member of the target may go now, and whether the snapshot of its record is a way back; undefined when it
 * may not. What takes long comes first: last is looked at what may be otherwise a moment later.
 */
export async function lookBeforeRemoval(
  turn: Turn,
  record: RepairRecord | undefined,
): Promise<{ readonly hasSnapshot: boolean } | undefined> {
  if (!guardCertificates(turn) || !(await guardTarget(turn)) || !(await guardNewPod(turn))) return undefined;
  const hasSnapshot = record !== undefined && (await isSnapshotGood(turn, record));
  if (!(await guardLost(turn)) || !(await guardSameData(turn, { isNow: true }))) return undefined;
  return { hasSnapshot };
}
