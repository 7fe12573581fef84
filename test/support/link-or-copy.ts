import { copyFileSync, linkSync } from 'node:fs';

/** Puts a file at another place: by a hard link, or as a copy where the other place is on another file system. */
export function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}
