/*
 * The private folder of one operator inside the temporary folder: it holds the files of every run, the pipes of the
 * spawner and the socket of the warm hooks. The operator creates it at startup, calls `restore` before each run,
 * `sweep` once, and `remove` at the end. What must hold: nobody else can read it or replace it; it survives cleaners of
 * temporary folders, because it is touched every hour and recreated at the same path when it is gone; and the folders
 * of dead operators are removed, but never one whose operator may be alive.
 */

import { chmodSync, lstatSync, lutimesSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UsageError } from '../errors.ts';
import { removeTree } from '../lib/remove-tree.ts';
import { makeTrustedFolder } from '../lib/trusted-folder.ts';
import { messageOf } from '../lib/message-of.ts';
import { holdFolder } from './folder-lock.ts';
import { removeStaleFolders } from './stale-folders.ts';

const PRIVATE_FOLDER = 0o700;
// Programs that clear temporary folders by age leave files alone that are touched this often.
const TOUCH_MS = 60 * 60 * 1000;
// When the folders are looked at again of which some could not be removed, or their operator did not answer in time.
const SWEEP_AGAIN_MS = [5000, 15_000, 60_000];

/** A private folder; see above. */
export interface RunFolder {
  readonly path: string;
  /**
   * Recreates the folder and its contents if somebody removed it; throws when that is not possible, and after `remove`.
   */
  restore(): void;
  /** Removes the folders of dead operators, those that are still written to some seconds later; never rejects. */
  sweep(): Promise<void>;
  /** Removes the folder; never throws. */
  remove(): void;
}

export interface RunFolderOptions {
  /** The folder given as `--tmp-dir`; created if it is missing. */
  readonly tmpDir: string;
  /** Keeps all files, for debugging. */
  readonly keepTmpFiles: boolean;
  /** Initial contents: `write` creates them, and `file` is the one whose absence means that they are gone. */
  readonly contents?: { readonly file: string; write(folder: string): void };
  /** Called when the folder had to be recreated. */
  readonly onRestored?: () => void;
  /** Called when something in it cannot be removed; the next operator tries again. */
  readonly onLeft?: (error: unknown) => void;
}

/**
 * Creates this operator's folder; throws `UsageError` when that is not possible, or when another user could replace it.
 */
export function createRunFolder(options: RunFolderOptions): RunFolder {
  const { tmpDir, keepTmpFiles, contents, onRestored, onLeft } = options;
  const boot = bootName();
  const path = makeFolder(tmpDir, boot);
  let made = lstatSync(path);
  let release = holdFilled(path, options);
  let isRemoved = false;
  let sweeping: NodeJS.Timeout | undefined;
  const touching = setInterval(() => touch(path, contents === undefined ? [] : [contents.file]), TOUCH_MS).unref();

  function isWhole(): boolean {
    const now = lstatSync(path, { throwIfNoEntry: false });
    if (now?.ino !== made.ino || now.dev !== made.dev) return false;
    return contents === undefined || lstatSync(join(path, contents.file), { throwIfNoEntry: false }) !== undefined;
  }

  async function sweep([againMs, ...later]: readonly number[]): Promise<void> {
    const options = { boot, own: path, nowMs: Date.now() };
    const isAllGone = await removeStaleFolders(dirname(path), options).catch(() => true);
    if (isAllGone || isRemoved || againMs === undefined) return;
    sweeping = setTimeout(() => void sweep(later), againMs).unref();
  }

  return {
    path,
    restore() {
      if (isRemoved) throw new Error('hooklet is stopping');
      if (isWhole()) return;
      makeAgain(path);
      made = lstatSync(path);
      release();
      release = holdFolder(path);
      contents?.write(path);
      onRestored?.();
    },
    async sweep() {
      if (!keepTmpFiles) await sweep(SWEEP_AGAIN_MS);
    },
    remove() {
      isRemoved = true;
      clearInterval(touching);
      clearTimeout(sweeping);
      release();
      if (keepTmpFiles) return;
      try {
        removeTree(path);
      } catch (error) {
        onLeft?.(error);
      }
    },
  };
}

function makeFolder(tmpDir: string, boot: string): string {
  try {
    return mkdtempSync(join(makeTrustedFolder(tmpDir), `run-${boot}-`));
  } catch (error) {
    throw unusable(tmpDir, error);
  }
}

/** Holds a folder that has just been made, and writes its contents; leaves nothing of it behind where it cannot. */
function holdFilled(path: string, { tmpDir, contents }: RunFolderOptions): () => void {
  const release = holdFolder(path);
  try {
    contents?.write(path);
    return release;
  } catch (error) {
    release();
    removeTree(path);
    throw unusable(tmpDir, error);
  }
}

function unusable(tmpDir: string, cause: unknown): UsageError {
  const reason = messageOf(cause);
  return new UsageError(`the temporary folder ${tmpDir} cannot be used: ${reason}; give another with --tmp-dir`, {
    cause,
  });
}

/** Recreates the folder at the same path, because running processes use that path. */
function makeAgain(path: string): void {
  makeTrustedFolder(dirname(path));
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) {
    mkdirSync(path, PRIVATE_FOLDER);
    return;
  }
  if (!found.isDirectory() || found.uid !== (process.geteuid?.() ?? found.uid)) {
    throw new Error(`${path} was replaced by something that does not belong to hooklet`);
  }
  chmodSync(path, PRIVATE_FOLDER);
}

function touch(path: string, contents: readonly string[]): void {
  const now = new Date();
  try {
    const all = [...readdirSync(path), ...contents].map((name) => join(path, name));
    for (const one of [path, ...all]) lutimesSync(one, now, now);
  } catch {
    // The folder was removed or is changing; the next run recreates it, or the next hour touches it.
  }
}

/** Identifies this boot of the kernel, the same in all containers of a machine. */
function bootName(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').slice(0, 8);
  } catch {
    return 'boot';
  }
}
