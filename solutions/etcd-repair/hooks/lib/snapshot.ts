import { etcdError } from './etcd.ts';
import { commonRevision, wellEndpoints } from './facts.ts';
import { newSnapshot, snapshotFault, type Snapshot } from './new-snapshot.ts';
import type { RepairRecord } from './record.ts';
import type { Turn } from './turn.ts';

/** Ensures a verified snapshot before anything is removed; reports and returns `undefined` when there is none. */
export async function takeSnapshot({ settings, etcd, facts, outcome }: Turn): Promise<Snapshot | undefined> {
  const [endpoint = ''] = wellEndpoints(facts);
  const source = { endpoint, databaseBytes: databaseBytes(facts.pods), revision: commonRevision(facts) };
  try {
    return await newSnapshot({ settings, etcd, nowMs: facts.nowMs }, source);
  } catch (error) {
    outcome.refuse(
      'SnapshotFailed',
      `No snapshot, so ${facts.target?.pod ?? ''} is not replaced: ${etcdError(error)}. Look for space in ${settings.snapshotDir} (REPAIR_SNAPSHOT_DIR).`,
    );
    return undefined;
  }
}

/** Of the member that will be asked. */
function databaseBytes(pods: Turn['facts']['pods']): number {
  return Math.max(0, ...pods.filter(({ isWell }) => isWell).map(({ status }) => status?.databaseBytes ?? 0));
}

/** Whether the snapshot of the record is still intact: it is read each time before a member is removed. */
export async function isSnapshotGood({ settings, etcd, facts, outcome }: Turn, record: RepairRecord): Promise<boolean> {
  const { snapshot: file, snapshotAt, snapshotRevision: revision } = record;
  const limits = { etcd, nowMs: facts.nowMs, maxAgeMs: settings.snapshotMaxAgeMs };
  const fault = await snapshotFault(limits, { file, atMs: Date.parse(snapshotAt), revision });
  if (fault !== undefined) outcome.say('the snapshot is no way back any more', { file, why: fault });
  return fault === undefined;
}
