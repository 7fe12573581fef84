import { readdir, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { Etcd } from './etcd.ts';

/** Where snapshots of one cluster are, and how many stay. Several clusters may share a folder. */
export interface SnapshotPlace {
  readonly snapshotDir: string;
  readonly namespace: string;
  /** Names the files, with the namespace. */
  readonly statefulset: string;
  readonly snapshotsKept: number;
  /** What a killed run left goes when it is twice as old. */
  readonly snapshotTimeoutMs: number;
}

/** The place of the snapshots, and the function that checks one. */
export interface SnapshotStorage {
  readonly settings: SnapshotPlace;
  readonly etcd: Pick<Etcd, 'snapshotRevision'>;
  readonly nowMs: number;
}

const PART = '.part.';
const MEBIBYTE = 1024 * 1024;
/** What is written meanwhile is in the snapshot as well. */
const GROWTH = 1.05;

export function pathOf(settings: SnapshotPlace, atMs: number): string {
  return `${startOf(settings)}-${atMs / 1000}.db`;
}

/** Of this run alone: process ids are the same in the Pod of another runner. */
export function partOf(settings: SnapshotPlace): string {
  return `${startOf(settings)}${PART}${crypto.randomUUID()}`;
}

/**
 * Makes room for a snapshot of a database: by what killed runs left, then by older snapshots, the newest good one
 * excepted. Rejects when that is not enough.
 */
export async function makeRoom(storage: SnapshotStorage, databaseBytes: number): Promise<void> {
  const { snapshotDir } = storage.settings;
  await removeParts(storage);
  if (await hasRoom(snapshotDir, databaseBytes)) return;
  for (const file of (await removable(storage)).toReversed()) {
    await rm(file, { force: true });
    if (await hasRoom(snapshotDir, databaseBytes)) return;
  }
  const { free, size } = await roomIn(snapshotDir);
  const mebibytes = (bytes: number): string => (bytes / MEBIBYTE).toFixed(1);
  throw new Error(
    `a snapshot needs ${mebibytes(databaseBytes * GROWTH)} MiB, and ${mebibytes(free)} of ${mebibytes(size)} MiB are free in ${snapshotDir}, where older snapshots were removed already`,
  );
}

/** Whether a snapshot of a database fits in a folder. */
export async function hasRoom(folder: string, databaseBytes: number): Promise<boolean> {
  return (await roomIn(folder)).free >= databaseBytes * GROWTH;
}

export async function removeAllButNewest(storage: SnapshotStorage): Promise<void> {
  for (const file of await removable(storage)) await rm(file, { force: true });
}

/** Keeps the new snapshot, and the configured number of older good ones. */
export async function keepNewest(storage: SnapshotStorage, made: string): Promise<void> {
  let room = storage.settings.snapshotsKept - 1;
  for (const file of await snapshots(storage)) {
    if (file === made) continue;
    if (room > 0 && (await isGood(storage, file))) room--;
    else await rm(file, { force: true });
  }
}

/** All but the newest good one, the newest first. */
async function removable(storage: SnapshotStorage): Promise<readonly string[]> {
  const all = await snapshots(storage);
  for (const [at, file] of all.entries()) if (await isGood(storage, file)) return all.toSpliced(at, 1);
  return all;
}

/** A snapshot that could not be read in time does not count as bad. */
async function isGood({ etcd }: SnapshotStorage, file: string): Promise<boolean> {
  try {
    await etcd.snapshotRevision(file);
    return true;
  } catch (error) {
    return error instanceof Error && 'killed' in error && error.killed === true;
  }
}

/** The newest first. Those with a time in the future count as the oldest, because a clock was wrong. */
async function snapshots({ settings, nowMs }: SnapshotStorage): Promise<readonly string[]> {
  const start = `${startOf(settings)}-`;
  const age = (file: string): number => {
    const atMs = 1000 * Number.parseInt(file.slice(start.length), 10);
    return atMs > nowMs + 60_000 ? Number.MAX_SAFE_INTEGER : nowMs - atMs;
  };
  return (await readdir(settings.snapshotDir))
    .map((name) => join(settings.snapshotDir, name))
    .filter((file) => file.startsWith(start) && /^\d+\.db$/.test(file.slice(start.length)))
    .toSorted((a, b) => age(a) - age(b));
}

/** Of runs that were killed. */
async function removeParts({ settings, nowMs }: SnapshotStorage): Promise<void> {
  const { snapshotDir, snapshotTimeoutMs } = settings;
  for (const name of await readdir(snapshotDir)) {
    const file = join(snapshotDir, name);
    if (!file.startsWith(`${startOf(settings)}${PART}`)) continue;
    // Another operator may have removed it meanwhile.
    const { mtimeMs = nowMs } = (await stat(file).catch(() => undefined)) ?? {};
    if (Math.abs(nowMs - mtimeMs) > 2 * snapshotTimeoutMs) await rm(file, { force: true });
  }
}

async function roomIn(folder: string): Promise<{ readonly free: number; readonly size: number }> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { free: bavail * bsize, size: blocks * bsize };
}

function startOf({ snapshotDir, namespace, statefulset }: SnapshotPlace): string {
  return join(snapshotDir, `${namespace}-${statefulset}`);
}
