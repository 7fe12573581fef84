import { chmod, lstat, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { connect, type Server } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { UsageError } from '../errors.ts';
import { eventually } from '../lib/deadline.ts';
import { shortHash } from '../lib/short-hash.ts';

/** A socket file that a server listens on. */
export interface UnixSocket {
  /** Removes the file, unless another process has replaced it. */
  remove(): Promise<void>;
}

// The limit of the kernel, without the terminating zero.
const MAX_PATH_BYTES = 107;
const PRIVATE_FOLDER = '.hooklet-0123XXXXXX/s';
const CONNECT_LIMIT_MS = 2000;
const LISTEN_LIMIT_MS = 10_000;

/**
 * Listens on a socket file that only this user may use; replaces the file of a dead process. Rejects with `UsageError`
 * when a living process listens there, and with the error of the system when the file cannot be created.
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
  const prefix = privatePrefix(path);
  await removeLeft(dirname(path), prefix);
  // Created in a private folder first, so that others can never connect to it.
  const folder = await mkdtemp(join(dirname(path), prefix));
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

/** The beginning of the names of the folders in which a socket file is made, beside it. */
export function privatePrefix(path: string): string {
  return `.hooklet-${shortHash(basename(path)).slice(0, 4)}`;
}

/** Removes what processes left that were killed while they made their sockets; what others own stays. */
async function removeLeft(folder: string, prefix: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((one) => one.startsWith(prefix))) {
    const path = join(folder, name);
    const found = await statOf(path).catch(() => undefined);
    // Folders of other users are left alone.
    if (found?.uid === process.getuid?.()) await rm(path, { recursive: true, force: true }).catch(() => {});
  }
}

async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

async function refuseLiving(path: string): Promise<void> {
  const found = await statOf(path);
  if (found === undefined) return;
  if (!found.isSocket()) throw new UsageError(`${path} exists and is not a socket; choose another path`);
  if (await isAnswered(path)) {
    throw new UsageError(`another process listens on ${path}; stop it, or choose another path`);
  }
}

async function isAnswered(path: string): Promise<boolean> {
  const socket = connect(path);
  // A process that does not answer in time is alive but busy.
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
    throw new UsageError(`cannot listen on ${path}: no result within ${LISTEN_LIMIT_MS / 1000} s`);
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
