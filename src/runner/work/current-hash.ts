import { stat } from 'node:fs/promises';
import type { Hook } from '../../hook/binding.ts';
import { fileHash } from '../job/hook-hash.ts';

interface KnownHash {
  /** Changes when the file does. */
  readonly mark: string;
  readonly hash: Promise<string>;
}

/**
 * Returns a function that reads the file of a hook, and again when it has changed. Workers are known by the files that are
 * there now, so a hash from when the hook was loaded would refuse each of their runs. Rejects with the error of the system.
 */
export function createCurrentHash(): (hook: Hook) => Promise<string> {
  const known = new WeakMap<Hook, KnownHash>();
  return async (hook) => {
    const { size, mtimeMs, ctimeMs, ino } = await stat(hook.path);
    const mark = [size, mtimeMs, ctimeMs, ino].join(' ');
    const before = known.get(hook);
    if (before?.mark === mark) return before.hash;
    const hash = fileHash(hook.path);
    // Read again where it could not be read.
    hash.catch(() => known.delete(hook));
    known.set(hook, { mark, hash });
    return hash;
  };
}
