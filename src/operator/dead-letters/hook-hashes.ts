import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Hook } from '../../hook/binding.ts';

/** A hash of the content of a hook's file; undefined when the file cannot be read. */
export type HashOf = (hook: Hook) => Promise<string | undefined>;

/** Returns a function that reads the file of each loaded hook once. */
export function createHookHashes(): HashOf {
  const known = new WeakMap<Hook, Promise<string | undefined>>();
  return async (hook) => {
    const found = known.get(hook) ?? contentHash(hook.path).catch(() => undefined);
    known.set(hook, found);
    return found;
  };
}

async function contentHash(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest('hex').slice(0, 16);
}
