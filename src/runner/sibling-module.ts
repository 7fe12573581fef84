import { siblingFile } from '../lib/sibling-file.ts';

/** Returns the file of an entry point of this folder, both in the sources and in the bundle. */
export function siblingModule(name: string, from = import.meta.url): string {
  return siblingFile(name, from);
}
