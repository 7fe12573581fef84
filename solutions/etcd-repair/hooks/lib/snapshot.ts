import { rename, rm } from 'node:fs/promises';
import { etcdError } from './etcd.ts';
import { commonRevision, wellEndpoints } from './facts.ts';
import type { RepairRecord } from './record.ts';
import { keepNewest, makeRoom, partOf, pathOf, removeAllButNewest } from './snapshot-files.ts';
import type { Turn } from './turn.ts';

export interface Snapshot {
  readonly file: string;
  readonly atMs: number;
  readonly revision: number;
}

/** Ensures a verified snapshot before anything is removed; reports and returns `undefined` when there is none. */
export async function takeSnapshot({ settings, etcd, facts, outcome }: Turn): Promise<Snapshot | undefined> {
  const part = partOf(settings);
  const storage = { settings, etcd, nowMs: facts.nowMs };
  try {
    await makeRoom(storage, databaseBytes(facts.pods));
    const revision = await saveSnapshot({ etcd, facts }, part);
    const atMs = 1000 * Math.floor(Date.now() / 1000);
    const file = pathOf(settings, atMs);
    await rename(part, file);
    await keepNewest(storage, file);
    return { file, atMs, revision };
  } catch (error) {
    await rm(part, { force: true });
    const why = etcdError(error);
    // The volume may have had less room than it said.
    if (/no space left|quota exceeded/i.test(why)) await removeAllButNewest(storage).catch(() => {});
    outcome.refuse(
      'SnapshotFailed',
      `No snapshot, so ${facts.target?.pod ?? ''} is not replaced: ${why}. Look for space in ${settings.snapshotDir} (REPAIR_SNAPSHOT_DIR).`,
    );
    return undefined;
  }
}

/** Of the member that will be asked. */
function databaseBytes(pods: Turn['facts']['pods']): number {
  return Math.max(0, ...pods.filter(({ isWell }) => isWell).map(({ status }) => status?.databaseBytes ?? 0));
}

async function saveSnapshot({ etcd, facts }: Pick<Turn, 'etcd' | 'facts'>, file: string): Promise<number> {
  const [endpoint = ''] = wellEndpoints(facts);
  await etcd.saveSnapshot(endpoint, file);
  const revision = await etcd.snapshotRevision(file);
  const wanted = commonRevision(facts);
  // It must hold at least what was there when this run began: the newest key, unless that was deleted and compacted
  // away.
  if (revision >= wanted || wanted <= 1) return revision;
  const [hash] = await etcd.hashes([endpoint]);
  if ((hash?.compactRevision ?? 0) >= wanted) return revision;
  throw new Error(`the snapshot ends at revision ${revision}, but the cluster was at ${wanted} already`);
}

/** Whether the snapshot of the record is still intact: it is read each time before a member is removed. */
export async function isSnapshotGood({ settings, etcd, facts, outcome }: Turn, record: RepairRecord): Promise<boolean> {
  const ageMs = facts.nowMs - Date.parse(record.snapshotAt);
  // Its time may be in the future if the clock was set back.
  if (!(ageMs >= 0 && ageMs <= settings.snapshotMaxAgeMs)) return false;
  try {
    const revision = await etcd.snapshotRevision(record.snapshot);
    if (revision === record.snapshotRevision) return true;
    outcome.say('the snapshot is another one', { file: record.snapshot, revision, expected: record.snapshotRevision });
  } catch (error) {
    outcome.say('the snapshot cannot be read any more', { file: record.snapshot, why: etcdError(error) });
  }
  return false;
}
