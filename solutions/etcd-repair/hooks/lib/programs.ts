import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Throws when a required program is missing: without it every member would seem to be down. */
export function requirePrograms(names: readonly string[], path: string): void {
  const folders = path.split(delimiter);
  const missing = names.filter((name) => !folders.some((folder) => isExecutable(join(folder, name))));
  if (missing.length > 0)
    throw new Error(`not on the PATH ${path}: ${missing.join(', ')}; see the Dockerfile of the solution`);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
