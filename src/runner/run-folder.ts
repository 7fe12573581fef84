import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UsageError } from '../errors.ts';

const NAME = /^run-(\d+)-/;

/** The private folder of one operator inside the temporary folder. */
export interface RunFolder {
  readonly path: string;
  remove(): void;
}

export interface RunFolderOptions {
  /** The folder given as `--tmp-dir`; made when it is missing. */
  readonly tmpDir: string;
  /** Leaves everything where it is, for a look at it. */
  readonly keepTmpFiles: boolean;
}

/** Makes this operator's folder and removes those that operators which are dead now left behind. */
export function createRunFolder({ tmpDir, keepTmpFiles }: RunFolderOptions): RunFolder {
  const path = makeFolder(tmpDir);
  if (!keepTmpFiles) removeStale(tmpDir, path);
  return {
    path,
    remove() {
      if (!keepTmpFiles) rmSync(path, { recursive: true, force: true });
    },
  };
}

function makeFolder(tmpDir: string): string {
  try {
    makeWithParents(tmpDir);
    return mkdtempSync(join(tmpDir, `run-${process.pid}-`));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`the temporary folder ${tmpDir} cannot be used: ${reason}; give another with --tmp-dir`, {
      cause: error,
    });
  }
}

/** As Node's own `recursive` does, which never ends below a folder such as /proc, where no other can be made. */
function makeWithParents(path: string): void {
  if (existsSync(path)) return;
  makeWithParents(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    // Another operator that starts now may have made it.
    if (!existsSync(path)) throw error;
  }
}

function removeStale(tmpDir: string, own: string): void {
  for (const name of readdirSync(tmpDir)) {
    const pid = NAME.exec(name)?.[1];
    const path = join(tmpDir, name);
    if (pid === undefined || path === own || isInUse(Number(pid), path)) continue;
    // What belongs to another user stays: it is not worth a failed start.
    try {
      rmSync(path, { recursive: true, force: true });
    } catch {
      continue;
    }
  }
}

function isInUse(pid: number, path: string): boolean {
  // In a container every operator has the same process id: a folder older than this process is its predecessor's.
  if (pid === process.pid) return modifiedAtMs(path) >= Date.now() - process.uptime() * 1000;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}

function modifiedAtMs(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
