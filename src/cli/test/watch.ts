import { dirname, sep } from 'node:path';
import { isFolder } from '../../lib/file-kind.ts';
import { fileChanges } from '../dev/file-changes.ts';

/** Changes below files and folders, from the call of `openChanges` on. */
export interface Changes extends Disposable {
  /** Waits for the first one; rejects when the signal aborts. */
  first(): Promise<void>;
}

/** Watches files and folders until it is disposed of or the signal aborts. */
export function openChanges(paths: readonly string[], signal: AbortSignal): Changes {
  const ended = new AbortController();
  const either = AbortSignal.any([signal, ended.signal]);
  // Watched from here on, so that no change is lost before somebody waits.
  const first = Promise.race(foldersOf(paths).map(async (folder) => firstOf(fileChanges(folder, either))));
  // Whoever waits hears of it.
  first.catch(() => {});
  return {
    async first() {
      await first;
      signal.throwIfAborted();
    },
    [Symbol.dispose]: () => ended.abort(),
  };
}

async function firstOf(changes: AsyncIterable<void>): Promise<void> {
  for await (const _ of changes) return;
}

/** The folders of the paths, without those that are below another. */
function foldersOf(paths: readonly string[]): readonly string[] {
  const folders = [...new Set(paths.map((path) => (isFolder(path) ? path : dirname(path))))];
  return folders.filter((folder) => !folders.some((other) => folder.startsWith(`${other}${sep}`)));
}
