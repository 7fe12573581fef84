import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { holderOf, type Holder } from './folder-lock.ts';

const NAME = /^run-(.+)-[^-]+$/;
/** Each operator touches its folder every hour, so a folder older than this belongs to nobody. */
const UNTOUCHED_MS = 24 * 60 * 60 * 1000;

export interface StaleOptions {
  /** The part of folder names that identifies this boot of the kernel. */
  readonly boot: string;
  readonly own: string;
  readonly nowMs: number;
}

/**
 * Removes the folders of dead operators, and tells whether none is left that may be one: what a dead operator started can
 * still write for some seconds. A folder that was created under another kernel (an earlier boot, or another
 * machine on the same volume), or that has no lock, is judged only by its age.
 */
export async function removeStaleFolders(tmpDir: string, { boot, own, nowMs }: StaleOptions): Promise<boolean> {
  let isAllGone = true;
  for (const name of await readdir(tmpDir)) {
    const path = join(tmpDir, name);
    const madeUnder = NAME.exec(name)?.[1];
    if (madeUnder === undefined || path === own) continue;
    // A folder that belongs to another user, or is being removed, is skipped: it must not make the start fail.
    try {
      const holder = await holderIn(path, madeUnder === boot, nowMs);
      if (holder === 'dead') await rm(path, { recursive: true, force: true });
      if (holder === 'unknown') isAllGone = false;
    } catch {
      isAllGone = false;
    }
  }
  return isAllGone;
}

async function holderIn(path: string, isOfThisBoot: boolean, nowMs: number): Promise<Holder | 'other user'> {
  const stats = await lstat(path);
  if (!stats.isDirectory() || stats.uid !== (process.geteuid?.() ?? stats.uid)) return 'other user';
  const holder = isOfThisBoot ? await holderOf(path) : 'unknown';
  return holder === 'unknown' && nowMs - stats.mtimeMs > UNTOUCHED_MS ? 'dead' : holder;
}
