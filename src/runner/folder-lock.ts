import { eventually } from '../lib/deadline.ts';
import { closeSync, constants, openSync, renameSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';

const NAME = 'lock';
const NEW_NAME = 'lock.new';
const ANSWER_LIMIT_MS = 1000;
// sun_path of Linux, less the byte that ends it.
const MAX_SOCKET_PATH = 107;

/** Whether the process that made a folder lives; `unknown` where that cannot be told from here. */
export type Holder = 'alive' | 'dead' | 'unknown';

/**
 * Marks a folder as in use for as long as this process lives: a socket in it that listens. The kernel answers who asks
 * for it, so that it counts in other containers as well, where process ids say nothing, and ends with its process.
 * Returns what lets go of it. Does nothing on a file system without sockets.
 */
export function holdFolder(folder: string): () => void {
  const server = createServer((socket) => socket.destroy());
  server.on('error', () => {});
  server.unref();
  const socket = socketIn(folder, NEW_NAME);
  server.listen(socket.path);
  try {
    // Node removes what it bound when it ends; what tells of a process that is dead has to stay.
    renameSync(join(folder, NEW_NAME), join(folder, NAME));
  } catch {
    // There are no sockets here: the age of the folder has to tell.
  }
  return () => void server.close(() => socket.close());
}

/** Asks whether anybody holds a folder. */
export async function holderOf(folder: string): Promise<Holder> {
  const socket = socketIn(folder, NAME);
  try {
    return await askAt(socket.path);
  } finally {
    socket.close();
  }
}

async function askAt(path: string): Promise<Holder> {
  const late = (): Holder => 'unknown';
  return eventually<Holder>({ limitMs: ANSWER_LIMIT_MS, late }, ({ resolve }) => {
    const socket = connect(path);
    socket.once('connect', () => resolve('alive'));
    socket.on('error', (error) => resolve('code' in error && error.code === 'ECONNREFUSED' ? 'dead' : 'unknown'));
    return () => socket.destroy();
  });
}

/** Where the path would be too long for a socket, it goes by way of a descriptor of its folder, until `close`. */
function socketIn(folder: string, name: string): { readonly path: string; close(): void } {
  const path = join(folder, name);
  if (Buffer.byteLength(path) <= MAX_SOCKET_PATH) return { path, close() {} };
  const fd = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  return { path: `/proc/self/fd/${fd}/${name}`, close: () => closeSync(fd) };
}
