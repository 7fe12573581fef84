import { closeSync, constants, existsSync, fstatSync, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { latch } from '../lib/latch.ts';
import { makePipes } from './make-pipes.ts';

const BATCH = 16;
// More pipes are created when only this many are free, enough for two runs.
const LOW = 4;
const MAKE_LIMIT_MS = 2000;
// After a failure, creating pipes is retried: the folder may be back by then.
const RETRY_MS = 10_000;

/** The reading end of a pipe, and the descriptor that a child writes to. */
export interface OutputPipe {
  readonly path: string;
  readonly writeFd: number;
  /** Reads until the last writer has closed the pipe; call it once the child has the writing end. */
  read(onData: (chunk: Buffer) => void): Promise<void>;
  /** Stops reading even though a process still holds the writing end. */
  destroy(): void;
}

/**
 * Named pipes for the output of hooks. Node's own pipes are sockets, and a script cannot open a socket by name: `echo
 * problem > /dev/stderr` would fail with ENXIO.
 */
export class PipePool {
  readonly #folder: string;
  readonly #free: string[] = [];
  readonly #now: () => number;
  #making: Promise<boolean> | undefined;
  #made = 0;
  #makeAtMs = -Infinity;

  /** Starts to create the first pipes. */
  constructor(folder: string, now = (): number => performance.now()) {
    this.#folder = folder;
    this.#now = now;
    void this.#make();
  }

  /** Returns a pipe; undefined when no named pipes can be created: the caller then uses those of Node. */
  async open(): Promise<OutputPipe | undefined> {
    return (await this.#openNext()) ?? (await this.#openAnew());
  }

  /** Creates no more pipes; resolves when no creation is in progress. */
  async end(): Promise<void> {
    this.#makeAtMs = Infinity;
    await this.#making;
  }

  /** Replaces all free pipes: somebody may have cleared the folder. */
  async #openAnew(): Promise<OutputPipe | undefined> {
    for (const path of this.#free.splice(0)) rmSync(path, { recursive: true, force: true });
    return this.#openNext();
  }

  async #openNext(): Promise<OutputPipe | undefined> {
    // Concurrent callers may have taken all new pipes.
    while (this.#free.length === 0) if (!(await this.#make())) return undefined;
    const path = this.#free.pop();
    if (this.#free.length < LOW) void this.#make();
    if (path === undefined) return undefined;
    try {
      return this.#openPath(path);
    } catch {
      return undefined;
    }
  }

  /** Creates more pipes, once for all concurrent callers; returns whether that succeeded. */
  async #make(): Promise<boolean> {
    this.#making ??= this.#makeSome().finally(() => (this.#making = undefined));
    return this.#making;
  }

  async #makeSome(): Promise<boolean> {
    if (this.#now() < this.#makeAtMs) return false;
    const paths = Array.from({ length: BATCH }, () => join(this.#folder, `pipe-${process.pid}-${this.#made++}`));
    const isMade = await makePipes(paths, MAKE_LIMIT_MS);
    if (isMade) this.#free.push(...paths);
    else this.#makeAtMs = Math.max(this.#makeAtMs, this.#now() + RETRY_MS);
    return isMade;
  }

  #openPath(path: string): OutputPipe {
    // Opens the reading end first and non-blocking: opening the writing end alone would block.
    const readFd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    const writeFd = openWriter(path, readFd);
    let socket: Socket | undefined;
    let isDestroyed = false;
    return {
      path,
      writeFd,
      read: async (onData) => {
        const closed = latch();
        socket = new Socket({ fd: readFd, readable: true, writable: false });
        socket.on('data', onData);
        socket.on('error', () => {});
        socket.on('close', closed.resolve);
        closeSync(writeFd);
        await closed.promise;
        if (!isDestroyed) this.#free.push(path);
      },
      destroy: () => {
        isDestroyed = true;
        // Removed, not reused: its writer would print into another run.
        rmSync(path, { recursive: true, force: true });
        socket?.destroy();
      },
    };
  }
}

function openWriter(path: string, readFd: number): number {
  try {
    if (!fstatSync(readFd).isFIFO()) throw new Error(`${path} is not a pipe`);
    // Opens the pipe that is being read, not what may have its name now: opening another pipe would block until it has
    // a reader.
    const own = `/proc/self/fd/${readFd}`;
    return openSync(existsSync(own) ? own : path, constants.O_WRONLY);
  } catch (error) {
    closeSync(readFd);
    throw error;
  }
}
