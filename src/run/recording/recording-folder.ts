import { constants } from 'node:fs';
import { open, readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { BoundedIo } from '../../lib/bounded-io.ts';
import type { RecordingPlace } from './recording-store.ts';

const IO_LIMIT_MS = 10_000;
const MAX_FILES = 20_000;
const MAX_READ_BYTES = 64 * 1024 * 1024;

/** Recordings as files of a folder that only this user may write to: one each, which only this user may read. */
export function folderPlace(path: string): RecordingPlace {
  const io = new BoundedIo(`folder ${path}`, IO_LIMIT_MS);
  return {
    list: async () => io.run(async () => listed(path)),
    write: async (name, bytes) => io.run(async () => write(join(path, name), bytes)),
    // Each on its own: whoever asks for one must not wait for what is written.
    read: async (name) => new BoundedIo(`folder ${path}`, IO_LIMIT_MS).run(async () => read(join(path, name))),
    remove: async (name) => io.run(async () => unlink(join(path, name)).catch(() => {})),
  };
}

async function listed(path: string): Promise<readonly { readonly name: string; readonly bytes: number }[]> {
  const names = (await readdir(path)).filter((name) => name.endsWith('.json.gz')).slice(-MAX_FILES);
  const found: { readonly name: string; readonly bytes: number }[] = [];
  for (const name of names) {
    const stats = await stat(join(path, name)).catch(() => undefined);
    if (stats?.isFile() === true) found.push({ name, bytes: stats.size });
  }
  return found;
}

async function write(file: string, bytes: Uint8Array): Promise<void> {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  await using handle = await open(file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    await handle.writeFile(bytes);
  } catch (error) {
    // A part of a recording is none.
    await unlink(file).catch(() => {});
    throw error;
  }
}

async function read(file: string): Promise<Uint8Array | undefined> {
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;
  const handle = await open(file, O_RDONLY | O_NONBLOCK | O_NOFOLLOW).catch(() => undefined);
  if (handle === undefined) return undefined;
  await using closing = handle;
  const stats = await closing.stat();
  return stats.isFile() && stats.size <= MAX_READ_BYTES ? await closing.readFile() : undefined;
}
