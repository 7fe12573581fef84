import { lstat, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { holderOf, type Holder } from './folder-lock.ts';

const NAME = /^run-(.+)-[^-]+$/;
/** What was the folder of a dead operator. */
const DEAD = /^dead-run-.+-[^-]+$/;
/** Each operator touches its folder every hour, so a folder older than this belongs to nobody. */
const UNTOUCHED_MS = 24 * 60 * 60 * 1000;
/** An operator locks its folder and fills it at once; where it lives and this was too early, it makes the folder again. */
const EMPTY_MS = 10_000;

export interface StaleOptions {
  /** The part of folder names that identifies this boot of the kernel. */
  readonly boot: string;
  readonly own: string;
  readonly nowMs: number;
}

/**
 * Removes the folders of dead operators, and tells whether none is left that may be one: what a dead operator started can
 * still write for some seconds. A folder that was created under another kernel (an earlier boot, or another
 * machine on the same volume), or that has no lock, is judged only by its age, and sooner where nothing is in it.
 */
export async function removeStaleFolders(tmpDir: string, options: StaleOptions): Promise<boolean> {
  let isAllGone = true;
  for (const name of await readdir(tmpDir)) {
    // A folder that belongs to another user, or is being removed, is skipped: it must not make the start fail.
    const isGone = await removeIfStale(tmpDir, name, options).catch(() => false);
    isAllGone &&= isGone;
  }
  return isAllGone;
}

/** Resolves to false for what may have to be removed later. */
async function removeIfStale(tmpDir: string, name: string, { boot, own, nowMs }: StaleOptions): Promise<boolean> {
  const path = join(tmpDir, name);
  if (DEAD.test(name)) {
    if (await isOurs(path)) await rm(path, { recursive: true, force: true });
    return true;
  }
  const madeUnder = NAME.exec(name)?.[1];
  if (madeUnder === undefined || path === own || !(await isOurs(path))) return true;
  const holder = await holderIn(path, madeUnder === boot, nowMs);
  if (holder === 'unknown') return removeEmpty(path, nowMs);
  if (holder === 'alive') return true;
  // Renamed first: if processes still write, removal may stop halfway, after the lock file is gone. The new name still
  // marks it as dead.
  const dead = join(tmpDir, `dead-${name}`);
  await rename(path, dead);
  await rm(dead, { recursive: true, force: true });
  return true;
}

/** What an operator leaves that was killed before it could lock its folder; rejects where something is in it. */
async function removeEmpty(path: string, nowMs: number): Promise<boolean> {
  const { mtimeMs } = await lstat(path);
  if (nowMs - mtimeMs < EMPTY_MS) return false;
  await rmdir(path);
  return true;
}

async function isOurs(path: string): Promise<boolean> {
  const stats = await lstat(path);
  return stats.isDirectory() && stats.uid === (process.geteuid?.() ?? stats.uid);
}

async function holderIn(path: string, isOfThisBoot: boolean, nowMs: number): Promise<Holder> {
  const { mtimeMs } = await lstat(path);
  const holder = isOfThisBoot ? await holderOf(path) : 'unknown';
  return holder === 'unknown' && nowMs - mtimeMs > UNTOUCHED_MS ? 'dead' : holder;
}
