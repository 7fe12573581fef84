import { siblingFile } from '../lib/sibling-file.ts';

/** The file of an entry point of this room, in the sources and in the bundle. */
export function siblingModule(name: string, from = import.meta.url): string {
  return siblingFile(name, from);
}
