import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { latch } from '../lib/latch.ts';

const BATCH = 16;

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
  #made = 0;
  #canMake = true;

  constructor(folder: string) {
    this.#folder = folder;
    this.#make();
  }

  /** Undefined where the file system or the system has no named pipes. */
  open(): OutputPipe | undefined {
    if (this.#free.length === 0) this.#make();
    const path = this.#free.pop();
    if (path === undefined) return undefined;
    try {
      return this.#openPath(path);
    } catch {
      // Somebody cleared the folder, or descriptors ran out: the caller falls back to Node's pipes.
      return undefined;
    }
  }

  #make(): void {
    if (!this.#canMake) return;
    const paths = Array.from({ length: BATCH }, () => join(this.#folder, `pipe-${process.pid}-${this.#made++}`));
    try {
      execFileSync('mkfifo', ['-m', '600', ...paths], { stdio: 'ignore' });
      this.#free.push(...paths);
    } catch {
      this.#canMake = false;
    }
  }

  #openPath(path: string): OutputPipe {
    // The reader first and without waiting: a writer alone would block.
    const readFd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
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
        rmSync(path, { force: true });
        socket?.destroy();
      },
    };
  }
}

function openWriter(path: string, readFd: number): number {
  try {
    return openSync(path, constants.O_WRONLY);
  } catch (error) {
    closeSync(readFd);
    throw error;
  }
}
