import { rename, rm } from 'node:fs/promises';
import { etcdError, type Etcd } from './etcd.ts';
import { keepNewest, makeRoom, partOf, pathOf, removeAllButNewest, type SnapshotPlace } from './snapshot-files.ts';

export interface Snapshot {
  readonly file: string;
  readonly atMs: number;
  /** The last one that it holds. */
  readonly revision: number;
}

/** What is saved: what one member has, which must hold at least `revision`. */
export interface SnapshotSource {
  readonly endpoint: string;
  readonly databaseBytes: number;
  readonly revision: number;
}

export interface SnapshotHands {
  readonly settings: SnapshotPlace;
  readonly etcd: Pick<Etcd, 'saveSnapshot' | 'snapshotRevision' | 'hashes'>;
  readonly nowMs: number;
}

/**
 * Saves a snapshot, reads it again whole, and keeps it with the newest good ones. Rejects when there is no room, when
 * it is not intact, and when it ends before the wanted revision: then nothing of it is left. Rejects also when older
 * ones cannot be removed: then the new one stays.
 */
export async function newSnapshot(hands: SnapshotHands, source: SnapshotSource): Promise<Snapshot> {
  const { settings, etcd } = hands;
  const part = partOf(settings);
  try {
    await makeRoom(hands, source.databaseBytes);
    await etcd.saveSnapshot(source.endpoint, part);
    const revision = await etcd.snapshotRevision(part);
    await requireRevision(etcd, source, revision);
    const atMs = 1000 * Math.floor(Date.now() / 1000);
    const file = pathOf(settings, atMs);
    await rename(part, file);
    await keepNewest(hands, file);
    return { file, atMs, revision };
  } catch (error) {
    await rm(part, { force: true });
    // The volume may have had less room than it said.
    if (/no space left|quota exceeded/i.test(etcdError(error))) await removeAllButNewest(hands).catch(() => {});
    throw error;
  }
}

/** Why a snapshot is no way back any more; undefined when it is one. It is read whole for that. */
export async function snapshotFault(
  { etcd, nowMs, maxAgeMs }: Pick<SnapshotHands, 'etcd' | 'nowMs'> & { readonly maxAgeMs: number },
  { file, atMs, revision }: Snapshot,
): Promise<string | undefined> {
  const ageMs = nowMs - atMs;
  // Its time may be in the future if the clock was set back.
  if (!(ageMs >= 0 && ageMs <= maxAgeMs)) return 'it is too old';
  try {
    const found = await etcd.snapshotRevision(file);
    return found === revision ? undefined : `it is another one: it ends at revision ${found}, not at ${revision}`;
  } catch (error) {
    return etcdError(error);
  }
}

/** It must hold at least what was there when this run began: the newest key, unless that was compacted away. */
async function requireRevision(
  etcd: SnapshotHands['etcd'],
  { endpoint, revision: wanted }: SnapshotSource,
  is: number,
) {
  if (is >= wanted || wanted <= 1) return;
  const [hash] = await etcd.hashes([endpoint]);
  if ((hash?.compactRevision ?? 0) >= wanted) return;
  throw new Error(`the snapshot ends at revision ${is}, but the cluster was at ${wanted} already`);
}
