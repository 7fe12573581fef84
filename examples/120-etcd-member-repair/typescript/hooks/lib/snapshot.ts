import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join as joinPath } from 'node:path';
import { etcdError } from './etcd.ts';
import { commonRevision, wellEndpoints } from './observe.ts';
import type { Settings } from './settings.ts';
import type { Repair, Turn } from './turn.ts';

const PART = '.part.';

export interface Snapshot {
  readonly file: string;
  readonly atMs: number;
}

/**
 * A snapshot that is known to be good, before anything is taken away; undefined when there is none, which is told. One
 * that was taken just now will do.
 */
export async function takeSnapshot({ settings, etcd, facts, outcome }: Turn): Promise<Snapshot | undefined> {
  const { snapshotDir, snapshotMaxAgeMs } = settings;
  // Of this run alone: process ids are the same in the Pod of another runner.
  const part = `${snapshotPath(settings)}${PART}${crypto.randomUUID()}`;
  try {
    const [newest] = await snapshots(settings);
    if (newest !== undefined && facts.nowMs - newest.atMs <= snapshotMaxAgeMs) return newest;
    await saveSnapshot({ etcd, facts }, part);
    const seconds = Math.floor(Date.now() / 1000);
    const file = `${snapshotPath(settings)}-${seconds}.db`;
    await rename(part, file);
    await removeOldSnapshots(settings, facts.nowMs);
    return { file, atMs: 1000 * seconds };
  } catch (error) {
    await rm(part, { force: true });
    outcome.refuse(
      'SnapshotFailed',
      `No snapshot, so ${facts.target?.pod ?? ''} is not replaced: ${etcdError(error)}. Look for space in ${snapshotDir} (REPAIR_SNAPSHOT_DIR).`,
    );
    return undefined;
  }
}

function snapshotPath({ snapshotDir, namespace, statefulset }: Settings): string {
  return joinPath(snapshotDir, `${namespace}-${statefulset}`);
}

/** The newest first. */
async function snapshots(settings: Settings): Promise<readonly Snapshot[]> {
  const start = `${snapshotPath(settings)}-`;
  return (await readdir(settings.snapshotDir))
    .map((name) => joinPath(settings.snapshotDir, name))
    .filter((file) => file.startsWith(start) && /^\d+\.db$/.test(file.slice(start.length)))
    .map((file) => ({ file, atMs: 1000 * Number.parseInt(file.slice(start.length), 10) }))
    .toSorted((a, b) => b.atMs - a.atMs);
}

async function saveSnapshot({ etcd, facts }: Pick<Turn, 'etcd' | 'facts'>, file: string): Promise<void> {
  const [endpoint = ''] = wellEndpoints(facts);
  const revision = await etcd.saveSnapshot(endpoint, file);
  const wanted = commonRevision(facts);
  // It must hold at least what was there when this run began: the newest key, unless that was deleted and compacted away.
  if (revision >= wanted || wanted <= 1) return;
  const [hash] = await etcd.hashes([endpoint]);
  if ((hash?.compactRevision ?? 0) >= wanted) return;
  throw new Error(`the snapshot ends at revision ${revision}, but the cluster was at ${wanted} already`);
}

async function removeOldSnapshots(settings: Settings, nowMs: number): Promise<void> {
  const { snapshotDir, snapshotsKept, snapshotTimeoutMs } = settings;
  for (const { file } of (await snapshots(settings)).slice(snapshotsKept)) await rm(file, { force: true });
  // Of runs that were killed.
  for (const name of await readdir(snapshotDir)) {
    const file = joinPath(snapshotDir, name);
    if (!file.startsWith(`${snapshotPath(settings)}${PART}`)) continue;
    // Another runner may have removed it by now.
    const { mtimeMs = nowMs } = (await stat(file).catch(() => undefined)) ?? {};
    if (mtimeMs < nowMs - 2 * snapshotTimeoutMs) await rm(file, { force: true });
  }
}

export function isSnapshotOld({ settings, facts, record }: Repair): boolean {
  return facts.nowMs - Date.parse(record.snapshotAt) > settings.snapshotMaxAgeMs;
}
