import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { holderOf } from './folder-lock.ts';

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
 * Removes the folders of dead operators. A folder that was created under another kernel (an earlier boot, or another
 * machine on the same volume), or that has no lock, is judged only by its age.
 */
export async function removeStaleFolders(tmpDir: string, { boot, own, nowMs }: StaleOptions): Promise<void> {
  for (const name of await readdir(tmpDir)) {
    const path = join(tmpDir, name);
    const madeUnder = NAME.exec(name)?.[1];
    if (madeUnder === undefined || path === own) continue;
    // A folder that belongs to another user, or is being removed, is skipped: it must not make the start fail.
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
