import { accessSync, constants, statSync, type Stats } from 'node:fs';

/** Whether there is a folder, also behind a link. */
export function isFolder(path: string): boolean {
  return statsOf(path)?.isDirectory() === true;
}

/** Whether there is a regular file, also behind a link. */
export function isFile(path: string): boolean {
  return statsOf(path)?.isFile() === true;
}

/** Whether this process may run the file. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Undefined also for what lies in a folder that this process may not enter. */
function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
