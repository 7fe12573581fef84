import { chmod, lstat, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { connect, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import { UsageError } from '../errors.ts';
import { eventually } from '../lib/deadline.ts';

/** A socket file that a server listens on. */
export interface UnixSocket {
  /** Removes the file, unless another process has put its own there. */
  remove(): Promise<void>;
}

// What the kernel takes, without the zero at the end.
const MAX_PATH_BYTES = 107;
const PRIVATE_FOLDER = '.hooklet-XXXXXX/s';
const CONNECT_LIMIT_MS = 2000;
const LISTEN_LIMIT_MS = 10_000;

/**
 * Listens on a socket file that only this user may use; that of a process which is dead is replaced. Rejects with
 * `UsageError` when a living process has it, and with what the system says when it cannot be made.
 */
export async function listenOnSocket(server: Server, path: string): Promise<UnixSocket> {
  if (
    Buffer.byteLength(join(dirname(path), PRIVATE_FOLDER)) > MAX_PATH_BYTES ||
    Buffer.byteLength(path) > MAX_PATH_BYTES
  ) {
    throw new Error(`the path is too long for a socket: ${path}`);
  }
  await makeFolder(dirname(path));
  await refuseLiving(path);
  // Made where nobody else can reach it, so that there is no moment in which it is open to others.
  const folder = await mkdtemp(join(dirname(path), '.hooklet-'));
  try {
    const made = join(folder, 's');
    await listen(server, made);
    await chmod(made, 0o600);
    await rename(made, path);
  } catch (error) {
    server.close();
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const { ino } = await lstat(path);
  return {
    async remove() {
      const now = await statOf(path);
      if (now?.ino === ino) await rm(path, { force: true });
    },
  };
}

async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

async function refuseLiving(path: string): Promise<void> {
  const found = await statOf(path);
  if (found === undefined) return;
  if (!found.isSocket()) throw new UsageError(`${path} is there already, and is no socket; choose another path`);
  if (await isAnswered(path)) {
    throw new UsageError(`another process listens on ${path}; stop it, or choose another path`);
  }
}

async function isAnswered(path: string): Promise<boolean> {
  const socket = connect(path);
  // One that does not even refuse is there, but busy.
  return eventually({ limitMs: CONNECT_LIMIT_MS, late: () => true }, ({ resolve }) => {
    socket.once('connect', () => resolve(true));
    socket.once('error', (error) => resolve(!isDead(error)));
    return () => socket.destroy();
  });
}

function isDead(error: Error): boolean {
  return 'code' in error && (error.code === 'ECONNREFUSED' || error.code === 'ENOENT');
}

async function listen(server: Server, path: string): Promise<void> {
  const late = (): never => {
    throw new UsageError(`cannot listen on ${path}: nothing happened within ${LISTEN_LIMIT_MS / 1000} s`);
  };
  await eventually<void>({ limitMs: LISTEN_LIMIT_MS, late }, ({ resolve, reject }) => {
    server.once('error', reject).listen(path, () => resolve());
    return () => server.off('error', reject);
  });
}

async function statOf(path: string): Promise<Awaited<ReturnType<typeof lstat>> | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
