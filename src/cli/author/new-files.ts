import { lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { UsageError } from '../../errors.ts';
import { messageOf } from '../../lib/message-of.ts';

/** A file to be made, its path relative to the folder of the project. */
export interface NewFile {
  readonly path: string;
  readonly text: string;
}

/**
 * Writes files that are not there yet; those with a shebang can be executed. Returns the paths that were written: a file
 * that has the same text already is left as it is. Where another file or a link is in the way, nothing is written, and a
 * `UsageError` lists all that are.
 */
export function writeNewFiles(folder: string, files: readonly NewFile[], command: string): readonly string[] {
  const missing = files.filter((file) => !isThere(folder, file));
  const behindLinks = missing.map(({ path }) => path).filter((path) => isBehindLink(folder, path));
  if (behindLinks.length > 0) {
    throw new UsageError(
      `${command}: a link in ${folder} leads to another folder, and nothing was written: ${behindLinks.join(', ')}; name that folder itself`,
    );
  }
  const taken = missing.filter(({ path }) => whatIsAt(join(folder, path)) !== undefined).map(({ path }) => path);
  if (taken.length > 0) {
    throw new UsageError(
      `${command}: ${folder} has other files of these names, and nothing was written: ${taken.join(', ')}; move them away, or choose another ${command === 'init' ? 'folder' : 'name'}`,
    );
  }
  const written: string[] = [];
  for (const file of missing) {
    write(folder, file, { command, written });
    written.push(file.path);
  }
  return written;
}

/** Whether a folder on the way is a link, which could lead out of the project. */
function isBehindLink(folder: string, path: string): boolean {
  const parent = dirname(path);
  if (parent === '.') return false;
  return whatIsAt(join(folder, parent))?.isSymbolicLink() === true || isBehindLink(folder, parent);
}

function isThere(folder: string, { path, text }: NewFile): boolean {
  const file = join(folder, path);
  return !isBehindLink(folder, path) && whatIsAt(file)?.isFile() === true && readFileSync(file, 'utf8') === text;
}

function whatIsAt(path: string): ReturnType<typeof lstatSync> | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    // A file is where a folder should be: making the folder says so.
    return undefined;
  }
}

interface WriteState {
  readonly command: string;
  readonly written: readonly string[];
}

function write(folder: string, { path, text }: NewFile, { command, written }: WriteState): void {
  const file = join(folder, path);
  try {
    mkdirSync(dirname(file), { recursive: true });
    // Fails where something came into being in the meantime.
    writeFileSync(file, text, { flag: 'wx', mode: text.startsWith('#!') ? 0o755 : 0o644 });
  } catch (cause) {
    const reason = messageOf(cause);
    const before = written.length === 0 ? 'nothing was written' : `written before: ${written.join(', ')}`;
    throw new UsageError(`${command}: ${file} cannot be written: ${reason}; ${before}`, { cause });
  }
}
