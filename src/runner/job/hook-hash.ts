import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Hook } from '../../hook/binding.ts';

/** Returns a function that reads the file of each loaded hook once; rejects with the error of the system. */
export function createHookHash(): (hook: Hook) => Promise<string> {
  const known = new WeakMap<Hook, Promise<string>>();
  return async (hook) => {
    const hash = known.get(hook) ?? fileHash(hook.path);
    known.set(hook, hash);
    try {
      return await hash;
    } catch (error) {
      known.delete(hook);
      throw error;
    }
  };
}

/** SHA-256 of a file in hex; rejects with the error of the system. */
export async function fileHash(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest('hex');
}
