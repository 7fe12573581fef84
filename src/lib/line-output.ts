import { constants, fstatSync, openSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';

const DEFAULT_LIMIT_BYTES = 4 * 1024 * 1024;
const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 100;
const EXIT_PAUSE_MS = 5;
/** At exit, a reader that reads nothing is given up after the first limit, a slow one after the second. */
const EXIT_STALL_MS = 1000;
const EXIT_LIMIT_MS = 5000;

export interface LineOutputOptions {
  /** Returns the line that replaces dropped lines; default none. */
  readonly gap?: (droppedLines: number) => string;
  /** Limit of the buffered bytes; default 4 MiB. */
  readonly limitBytes?: number;
}

/** An output for whole lines. */
export interface LineOutput {
  write(text: string): void;
  /** The number of lines dropped so far. */
  readonly droppedLines: number;
}

/**
 * Writes lines to a file descriptor and never waits for its reader: what a full pipe or terminal does not accept is
 * buffered, up to a limit, and written later. Beyond the limit new lines are dropped and counted. At exit, the buffer
 * is written as long as the reader reads.
 */
export function openLineOutput(fd: number, options: LineOutputOptions = {}): LineOutput {
  return new BufferedOutput(nonBlocking(fd), options);
}

/**
 * Returns a non-blocking descriptor of the same pipe or terminal. The file is opened again, because the flag belongs to
 * all processes that share the inherited descriptor. If that fails (a pipe of another user, a socket), the flag is set
 * on the shared one, as Node does for `process.stdout`; Node resets it at exit.
 */
function nonBlocking(fd: number): number {
  try {
    const stats = fstatSync(fd);
    if (!stats.isFIFO() && !stats.isSocket() && !isatty(fd)) return fd;
  } catch {
    return fd;
  }
  try {
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    setSharedNonBlocking(fd);
    return fd;
  }
}

function setSharedNonBlocking(fd: number): void {
  try {
    const { Socket } = process.getBuiltinModule('node:net');
    new Socket({ fd, readable: false, writable: true }).on('error', () => {}).unref();
  } catch {
    // A terminal of another user: writing blocks while it is stopped with Ctrl-S.
  }
}

class BufferedOutput implements LineOutput {
  readonly #fd: number;
  readonly #gap: (droppedLines: number) => string;
  readonly #limitBytes: number;
  /** The bytes to write next, and those after them. */
  #head: Buffer = Buffer.alloc(0);
  #tail: Buffer[] = [];
  #keptBytes = 0;
  #droppedLines = 0;
  /** Dropped lines that the output does not mention yet. */
  #unreportedLines = 0;
  #pauseMs = FIRST_PAUSE_MS;
  #atExit: (() => void) | undefined;

  constructor(fd: number, { gap = () => '', limitBytes = DEFAULT_LIMIT_BYTES }: LineOutputOptions) {
    this.#fd = fd;
    this.#gap = gap;
    this.#limitBytes = limitBytes;
  }

  get droppedLines(): number {
    return this.#droppedLines;
  }

  write(text: string): void {
    const line = Buffer.from(text);
    if (this.#keptBytes > 0) {
      this.#keep(line);
      return;
    }
    const rest = this.#send(line);
    if (rest.length === 0) return;
    this.#append(rest);
    this.#drainLater();
  }

  /**
   * After a gap, lines are buffered again once half of the buffer is free: one long gap is better than many short ones.
   */
  #keep(line: Buffer): void {
    const limit = this.#unreportedLines > 0 ? this.#limitBytes / 2 : this.#limitBytes;
    if (this.#keptBytes + line.length > limit) {
      this.#drop(1);
      return;
    }
    this.#writeGap();
    this.#append(line);
  }

  #writeGap(): void {
    if (this.#unreportedLines === 0) return;
    const lines = this.#unreportedLines;
    this.#unreportedLines = 0;
    this.#append(Buffer.from(this.#gap(lines)));
  }

  #append(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#tail.push(bytes);
    this.#keptBytes += bytes.length;
  }

  #drop(lines: number): void {
    this.#droppedLines += lines;
    this.#unreportedLines += lines;
  }

  #drainLater(): void {
    if (this.#atExit === undefined) {
      this.#atExit = () => this.#flush();
      process.once('exit', this.#atExit);
    }
    // The timer must not keep the process alive: at exit, the rest is written by `#flush`.
    setTimeout(() => this.#drain(), this.#pauseMs).unref();
  }

  #drain(): void {
    const before = this.#keptBytes;
    this.#writeKept();
    if (this.#keptBytes === 0) this.#writeGap();
    if (this.#keptBytes > 0) {
      const isMoving = this.#keptBytes < before;
      this.#pauseMs = isMoving ? FIRST_PAUSE_MS : Math.min(2 * this.#pauseMs, LONGEST_PAUSE_MS);
      this.#drainLater();
      return;
    }
    this.#pauseMs = FIRST_PAUSE_MS;
    if (this.#atExit !== undefined) process.off('exit', this.#atExit);
    this.#atExit = undefined;
  }

  #writeKept(): void {
    while (this.#keptBytes > 0) {
      if (this.#head.length === 0) {
        this.#head = Buffer.concat(this.#tail);
        this.#tail = [];
      }
      const rest = this.#send(this.#head);
      this.#keptBytes -= this.#head.length - rest.length;
      this.#head = rest;
      if (rest.length > 0) return;
    }
  }

  #flush(): void {
    const waiting = new Int32Array(new SharedArrayBuffer(4));
    const startedAt = performance.now();
    let movedAt = startedAt;
    for (;;) {
      const before = this.#keptBytes;
      this.#writeKept();
      if (this.#keptBytes === 0) this.#writeGap();
      if (this.#keptBytes === 0) return;
      const now = performance.now();
      if (this.#keptBytes < before) movedAt = now;
      if (now - movedAt >= EXIT_STALL_MS || now - startedAt >= EXIT_LIMIT_MS) return;
      Atomics.wait(waiting, 0, 0, EXIT_PAUSE_MS);
    }
  }

  /**
   * Returns what was not accepted. What can never be written (to a pipe without a reader, or a full disk) is dropped.
   */
  #send(bytes: Buffer): Buffer {
    let rest = bytes;
    while (rest.length > 0) {
      try {
        rest = rest.subarray(writeSync(this.#fd, rest));
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return rest;
        this.#droppedLines += countLines(rest);
        return Buffer.alloc(0);
      }
    }
    return rest;
  }
}

function countLines(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) lines++;
  return lines;
}
