import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Save } from './act.ts';
import { newSnapshot, type SnapshotHands } from './etcd-repair/new-snapshot.ts';
import { hasRoom, pathOf } from './etcd-repair/snapshot-files.ts';

/** From this age on, a snapshot may go for one of another cluster: its repair has long ended. */
const OLD_MS = 7 * 24 * 3_600_000;
/** A run that takes longer was killed. */
const RUN_MS = 300_000;

interface SavePlace {
  /** Shared by all clusters. */
  readonly folder: string;
  readonly namespace: string;
  readonly name: string;
}

/**
 * Saves snapshots of a cluster in a folder of the operator, of which the newest stays. Where room lacks, snapshots of
 * other clusters that are older than a week are removed, the oldest first.
 */
export function saveIn({ folder, namespace, name }: SavePlace, { etcd, nowMs }: Omit<SnapshotHands, 'settings'>): Save {
  // A folder for each namespace, as the names of two clusters could be the same with dashes between.
  const snapshotDir = join(folder, namespace);
  const settings = { snapshotDir, namespace, statefulset: name, snapshotsKept: 1, snapshotTimeoutMs: RUN_MS };
  const own = pathOf(settings, 0).replace(/0\.db$/, '');
  const isOwn = (file: string): boolean => file.startsWith(own) && /^\d+\.db$/.test(file.slice(own.length));
  return async (source) => {
    await mkdir(snapshotDir, { recursive: true });
    for (const file of await oldFiles(folder, nowMs)) {
      if (await hasRoom(folder, source.databaseBytes)) break;
      if (!isOwn(file)) await rm(file, { force: true });
    }
    await newSnapshot({ settings, etcd, nowMs }, source);
  };
}

/** The oldest first. */
async function oldFiles(folder: string, nowMs: number): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const found = files.map(async (file) => ({
    file,
    atMs: (await stat(file).catch(() => undefined))?.mtimeMs ?? nowMs,
  }));
  const old = (await Promise.all(found)).filter(({ atMs }) => nowMs - atMs > OLD_MS);
  return old.toSorted((a, b) => a.atMs - b.atMs).map(({ file }) => file);
}
