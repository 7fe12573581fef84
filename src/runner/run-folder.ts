import { chmodSync, lstatSync, lutimesSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UsageError } from '../errors.ts';
import { makeTrustedFolder } from '../lib/trusted-folder.ts';
import { holdFolder } from './folder-lock.ts';
import { removeStaleFolders } from './stale-folders.ts';

const PRIVATE_FOLDER = 0o700;
// What clears temporary folders by age leaves alone what is touched this often.
const TOUCH_MS = 60 * 60 * 1000;

/** The private folder of one operator inside the temporary folder. */
export interface RunFolder {
  readonly path: string;
  /** Makes it again, with its contents, where somebody removed it; throws where that is not possible, and after `remove`. */
  restore(): void;
  /** Removes the folders that operators which are dead left behind; never rejects. */
  sweep(): Promise<void>;
  /** Never throws. */
  remove(): void;
}

export interface RunFolderOptions {
  /** The folder given as `--tmp-dir`; made when it is missing. */
  readonly tmpDir: string;
  /** Leaves everything where it is, for a look at it. */
  readonly keepTmpFiles: boolean;
  /** What is in it from the start: a file that shows it is there, and what writes it. */
  readonly contents?: { readonly file: string; write(folder: string): void };
  /** Called when it had to be made again. */
  readonly onRestored?: () => void;
  /** Called when something in it cannot be removed, which the next operator tries again. */
  readonly onLeft?: (error: unknown) => void;
}

/**
 * Makes this operator's folder; throws `UsageError` where that is not possible, or another user could put something else
 * in its place.
 */
export function createRunFolder(options: RunFolderOptions): RunFolder {
  const { tmpDir, keepTmpFiles, contents, onRestored, onLeft } = options;
  const boot = bootName();
  const path = makeFolder(tmpDir, boot);
  let made = lstatSync(path);
  let release = holdFolder(path);
  let isRemoved = false;
  contents?.write(path);
  const touching = setInterval(() => touch(path, contents === undefined ? [] : [contents.file]), TOUCH_MS).unref();

  function isWhole(): boolean {
    const now = lstatSync(path, { throwIfNoEntry: false });
    if (now?.ino !== made.ino || now.dev !== made.dev) return false;
    return contents === undefined || lstatSync(join(path, contents.file), { throwIfNoEntry: false }) !== undefined;
  }

  return {
    path,
    restore() {
      if (isRemoved) throw new Error('hooklet stops');
      if (isWhole()) return;
      makeAgain(path);
      made = lstatSync(path);
      release();
      release = holdFolder(path);
      contents?.write(path);
      onRestored?.();
    },
    async sweep() {
      if (keepTmpFiles) return;
      await removeStaleFolders(dirname(path), { boot, own: path, nowMs: Date.now() }).catch(() => {});
    },
    remove() {
      isRemoved = true;
      clearInterval(touching);
      release();
      if (keepTmpFiles) return;
      try {
        rmSync(path, { recursive: true, force: true });
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
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`the temporary folder ${tmpDir} cannot be used: ${reason}; give another with --tmp-dir`, {
      cause: error,
    });
  }
}

/** At the same place, because what runs knows it by that name. */
function makeAgain(path: string): void {
  makeTrustedFolder(dirname(path));
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) {
    mkdirSync(path, PRIVATE_FOLDER);
    return;
  }
  if (!found.isDirectory() || found.uid !== (process.geteuid?.() ?? found.uid)) {
    throw new Error(`${path} was replaced by something that is not hooklet's`);
  }
  chmodSync(path, PRIVATE_FOLDER);
}

function touch(path: string, contents: readonly string[]): void {
  const now = new Date();
  try {
    const all = [...readdirSync(path), ...contents].map((name) => join(path, name));
    for (const one of [path, ...all]) lutimesSync(one, now, now);
  } catch {
    // It was removed, or changes at this moment; the next run or the next hour sees to it.
  }
}

/** The same for all containers of a machine until it starts again. */
function bootName(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').slice(0, 8);
  } catch {
    return 'boot';
  }
}
