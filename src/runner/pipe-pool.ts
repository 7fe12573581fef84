import { closeSync, constants, existsSync, fstatSync, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { latch } from '../lib/latch.ts';
import { makePipes } from './make-pipes.ts';

const BATCH = 16;
// More are made when so few are left: two runs.
const LOW = 4;
const MAKE_LIMIT_MS = 2000;
// Where no pipes can be made, that is tried again: the folder may be back by then.
const RETRY_MS = 10_000;

/** The reading end of a pipe, and the descriptor a child writes to. */
export interface OutputPipe {
  readonly writeFd: number;
  /** Reads until the last writer is gone; called once the child has the writing end. */
  read(onData: (chunk: Buffer) => void): Promise<void>;
  /** Gives up while somebody still holds the writing end. */
  destroy(): void;
}

/**
 * Real pipes for the output of hooks. Node's own are sockets, and a script cannot open those by name:
 * `echo problem > /dev/stderr` would fail with ENXIO.
 */
export class PipePool {
  readonly #folder: string;
  readonly #free: string[] = [];
  readonly #now: () => number;
  #making: Promise<boolean> | undefined;
  #made = 0;
  #makeAtMs = -Infinity;

  /** Begins to make the first ones. */
  constructor(folder: string, now = (): number => performance.now()) {
    this.#folder = folder;
    this.#now = now;
    void this.#make();
  }

  /** Undefined where the file system or the system has no named pipes: the caller falls back to Node's. */
  async open(): Promise<OutputPipe | undefined> {
    return (await this.#openNext()) ?? (await this.#openAnew());
  }

  /** Makes no more; resolves when nothing is made in the folder any more. */
  async end(): Promise<void> {
    this.#makeAtMs = Infinity;
    await this.#making;
  }

  /** Somebody may have cleared the folder: then all that were made are gone. */
  async #openAnew(): Promise<OutputPipe | undefined> {
    for (const path of this.#free.splice(0)) rmSync(path, { recursive: true, force: true });
    return this.#openNext();
  }

  async #openNext(): Promise<OutputPipe | undefined> {
    // Others that wait for the same ones may take them all.
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

  /** Makes some more, for all who ask meanwhile; whether there are some. */
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
    // The reader first and without waiting: a writer alone would block.
    const readFd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    const writeFd = openWriter(path, readFd);
    let socket: Socket | undefined;
    let isDestroyed = false;
    return {
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
        // Its writer would print into somebody else's run.
        rmSync(path, { recursive: true, force: true });
        socket?.destroy();
      },
    };
  }
}

function openWriter(path: string, readFd: number): number {
  try {
    if (!fstatSync(readFd).isFIFO()) throw new Error(`${path} is not a pipe any more`);
    // The pipe that is read, whatever has the name by now: of another one, the opening would wait for a reader.
    const own = `/proc/self/fd/${readFd}`;
    return openSync(existsSync(own) ? own : path, constants.O_WRONLY);
  } catch (error) {
    closeSync(readFd);
    throw error;
  }
}
