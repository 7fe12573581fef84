import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { holderOf } from './folder-lock.ts';

const NAME = /^run-(.+)-[^-]+$/;
/** Each operator touches its folder every hour, so that one which is older than this is nobody's. */
const UNTOUCHED_MS = 24 * 60 * 60 * 1000;

export interface StaleOptions {
  /** What names this boot of the kernel in the names of folders. */
  readonly boot: string;
  readonly own: string;
  readonly nowMs: number;
}

/**
 * Removes the folders of operators that are dead. Of one that was made under another kernel (an earlier boot, or another
 * machine on the same volume), or that has no lock, only its age can tell.
 */
export async function removeStaleFolders(tmpDir: string, { boot, own, nowMs }: StaleOptions): Promise<void> {
  for (const name of await readdir(tmpDir)) {
    const path = join(tmpDir, name);
    const madeUnder = NAME.exec(name)?.[1];
    if (madeUnder === undefined || path === own) continue;
    // What belongs to another user, or goes at this moment, stays: it is not worth a failed start.
    try {
      if (await isStale(path, madeUnder === boot, nowMs)) await rm(path, { recursive: true, force: true });
    } catch {
      continue;
    }
  }
}

async function isStale(path: string, isOfThisBoot: boolean, nowMs: number): Promise<boolean> {
  const stats = await lstat(path);
  if (!stats.isDirectory() || stats.uid !== (process.geteuid?.() ?? stats.uid)) return false;
  const holder = isOfThisBoot ? await holderOf(path) : 'unknown';
  return holder === 'dead' || (holder === 'unknown' && nowMs - stats.mtimeMs > UNTOUCHED_MS);
}
