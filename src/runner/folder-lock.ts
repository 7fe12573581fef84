import { eventually } from '../lib/deadline.ts';
import { closeSync, constants, openSync, renameSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';

const NAME = 'lock';
const NEW_NAME = 'lock.new';
const ANSWER_LIMIT_MS = 1000;
// The size of sun_path on Linux, minus the terminating byte.
const MAX_SOCKET_PATH = 107;

/** Whether the process that holds a folder is alive; `unknown` when that cannot be determined from here. */
export type Holder = 'alive' | 'dead' | 'unknown';

/**
 * Marks a folder as in use while this process lives, by a listening socket in it. The kernel answers connection
 * attempts, so this works across containers, where process ids mean nothing, and it ends with the process. Returns a
 * function that releases the folder. Does nothing on a file system without sockets.
 */
export function holdFolder(folder: string): () => void {
  const server = createServer((socket) => socket.destroy());
  server.on('error', () => {});
  server.unref();
  const socket = socketIn(folder, NEW_NAME);
  server.listen(socket.path);
  try {
    // Node deletes the name it bound when it exits. The renamed socket stays, and shows that its process is dead.
    renameSync(join(folder, NEW_NAME), join(folder, NAME));
  } catch {
    // This file system has no sockets; `stale-folders.ts` then judges by age.
  }
  return () => void server.close(() => socket.close());
}

/** Determines whether a living process holds a folder. */
export async function holderOf(folder: string): Promise<Holder> {
  const holder = await holderBy(folder, NAME);
  // The socket of a process that was killed before it could rename it still has its first name.
  return holder === 'unknown' ? holderBy(folder, NEW_NAME) : holder;
}

async function holderBy(folder: string, name: string): Promise<Holder> {
  const socket = socketIn(folder, name);
  const late = (): Holder => 'unknown';
  try {
    return await eventually<Holder>({ limitMs: ANSWER_LIMIT_MS, late }, ({ resolve }) => {
      const asking = connect(socket.path);
      asking.once('connect', () => resolve('alive'));
      asking.on('error', (error) => resolve('code' in error && error.code === 'ECONNREFUSED' ? 'dead' : 'unknown'));
      return () => asking.destroy();
    });
  } finally {
    socket.close();
  }
}

/**
 * Returns the path of a socket in `folder`. A path that is too long for a socket goes through a descriptor of the
 * folder, which stays open until `close`.
 */
function socketIn(folder: string, name: string): { readonly path: string; close(): void } {
  const path = join(folder, name);
  if (Buffer.byteLength(path) <= MAX_SOCKET_PATH) return { path, close() {} };
  const fd = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  return { path: `/proc/self/fd/${fd}/${name}`, close: () => closeSync(fd) };
}
