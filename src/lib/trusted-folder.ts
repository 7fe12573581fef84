import { lstatSync, mkdirSync, readlinkSync, type Stats } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

// The number of links that the kernel follows.
const MAX_LINKS = 40;
const OTHERS_WRITE = 0o002;
const GROUP_WRITES = 0o020;
const STICKY = 0o1000;
const FOLDER_MODE = 0o755;
const PRIVATE_MODE = 0o700;

/** The user and the groups of this process. */
export interface Identity {
  readonly uid: number;
  readonly gids: readonly number[];
}

type Owned = Pick<Stats, 'uid' | 'gid' | 'mode'>;

/** Returns the identity of this process; undefined on a system without POSIX users. */
function ownIdentity(): Identity | undefined {
  const uid = process.geteuid?.();
  if (uid === undefined) return undefined;
  return { uid, gids: [process.getegid?.() ?? uid, ...(process.getgroups?.() ?? [])] };
}

/**
 * Creates a folder with its parents, and returns its path without links. Throws when another user could replace it:
 * each level, including links, must belong to this user or root, and must have the sticky bit if others may write
 * there.
 */
export function makeTrustedFolder(path: string, identity = ownIdentity()): string {
  let folder = '/';
  let parent = lstatSync(folder);
  let rest = partsOf(resolve(path));
  let links = 0;
  for (let name = rest.shift(); name !== undefined; name = rest.shift()) {
    const next = join(folder, name);
    const stats = lookOrMake(next);
    if (identity !== undefined) check(next, stats, { identity, isMount: stats.dev !== parent.dev });
    if (stats.isSymbolicLink()) {
      if (++links > MAX_LINKS) throw new Error(`ELOOP: too many links, ${path}`);
      const target = resolve(folder, readlinkSync(next));
      rest = [...partsOf(target), ...rest];
      folder = '/';
      parent = lstatSync(folder);
      continue;
    }
    if (!stats.isDirectory()) throw new Error(`ENOTDIR: not a folder, ${next}`);
    folder = next;
    parent = stats;
  }
  return folder;
}

/** Creates a folder only for this user, in a trusted one; returns its path without links, or throws. */
export function makePrivateFolder(path: string): string {
  const folder = join(makeTrustedFolder(dirname(path)), basename(path));
  lookOrMake(folder, PRIVATE_MODE);
  if (!isPrivateFolder(folder)) throw new Error(`EACCES: ${folder} is not a folder that only its owner may write to`);
  return folder;
}

/** Whether `path` is a folder of this user or root to which nobody else may write, regardless of the sticky bit. */
function isPrivateFolder(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory() !== true) return false;
  const uid = ownIdentity()?.uid;
  const isOwn = uid === undefined || stats.uid === uid || stats.uid === 0;
  return isOwn && (stats.mode & (OTHERS_WRITE | GROUP_WRITES)) === 0;
}

/**
 * Returns why a file or folder is not safe from other users; undefined when it is. A mount may be open to everyone in
 * its container: an `emptyDir` of Kubernetes has mode 0777 and belongs to root.
 */
export function describeDistrust(
  { uid, gid, mode }: Owned,
  { identity, isMount }: { readonly identity: Identity; readonly isMount: boolean },
): string | undefined {
  if (uid !== 0 && uid !== identity.uid) {
    return `belongs to user ${uid}, not to root or to user ${identity.uid}, who runs hooklet`;
  }
  const isSticky = (mode & STICKY) !== 0;
  const isOpenToGroup = (mode & GROUP_WRITES) !== 0 && gid !== 0 && !identity.gids.includes(gid);
  const isOpen = (mode & OTHERS_WRITE) !== 0 || isOpenToGroup;
  if (!isOpen || isSticky || isMount) return undefined;
  return `can be written by other users and has no sticky bit (mode ${(mode & 0o7777).toString(8).padStart(4, '0')})`;
}

function check(path: string, stats: Stats, place: { readonly identity: Identity; readonly isMount: boolean }): void {
  // The mode of a link is meaningless.
  const owned = stats.isSymbolicLink() ? { uid: stats.uid, gid: stats.gid, mode: 0 } : stats;
  const distrust = describeDistrust(owned, place);
  if (distrust !== undefined) throw new Error(`EACCES: ${path} ${distrust}`);
}

function lookOrMake(path: string, mode = FOLDER_MODE): Stats {
  const known = lstatSync(path, { throwIfNoEntry: false });
  if (known !== undefined) return known;
  try {
    mkdirSync(path, mode);
  } catch (error) {
    // Another operator that starts at the same time may have created it.
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  return lstatSync(path);
}

function partsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '');
}
