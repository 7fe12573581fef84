import { LineReader } from './line-reader.ts';
import type { OutputLine, OutputStream } from './spawner-protocol.ts';

const BATCH_BYTES = 32 * 1024;
const TAIL_BYTES = 16 * 1024;
// The cost of a log line in addition to its text, so that a million empty lines do not count as a megabyte.
const LINE_COST_BYTES = 100;
const NEWLINE = 10;

export interface RunOutputOptions {
  readonly limitBytes: number;
  /** Captures standard output, up to this limit, instead of emitting lines. */
  readonly captureBytes?: number;
  /** Emits each line at once, for a process that may block its event loop. */
  readonly isImmediate?: boolean;
  readonly onLines: (lines: readonly OutputLine[]) => void;
}

/**
 * The output of one run: emits lines in batches up to a limit, keeps the end of stderr for error messages, and captures
 * stdout if requested.
 */
export class RunOutput {
  readonly #options: RunOutputOptions;
  readonly #readers: Readonly<Record<OutputStream, LineReader>>;
  readonly #captured: Buffer[] = [];
  #capturedBytes = 0;
  #tail: Buffer = Buffer.alloc(0);
  readonly #lines: OutputLine[] = [];
  #batchBytes = 0;
  #leftBytes: number;
  #droppedBytes = 0;
  #flushing: NodeJS.Immediate | undefined;

  constructor(options: RunOutputOptions) {
    this.#options = options;
    this.#leftBytes = options.limitBytes;
    this.#readers = {
      stdout: new LineReader((line) => this.#keep('stdout', line)),
      stderr: new LineReader((line) => this.#keep('stderr', line)),
    };
  }

  push(stream: OutputStream, chunk: Buffer): void {
    if (stream === 'stderr') this.#tail = lastBytes(this.#tail, chunk);
    if (this.#options.captureBytes !== undefined) this.#capture(stream, chunk, this.#options.captureBytes);
    else if (this.#leftBytes === 0) this.#droppedBytes += chunk.length;
    else this.#readers[stream].push(chunk);
  }

  /** Reserves room for a log entry, which counts against the same limit; returns false when it must be dropped. */
  take(bytes: number): boolean {
    if (this.#spend(bytes)) return true;
    this.#droppedBytes += bytes;
    return false;
  }

  /** Emits a line of our own, which counts against no limit. */
  note(line: string): void {
    this.#add({ stream: 'stderr', line });
  }

  /** Restores the full limit, for a process that serves several runs. */
  refill(): void {
    this.#reportDropped();
    this.#leftBytes = this.#options.limitBytes;
  }

  /** Emits incomplete lines and everything that is left; returns the captured stdout and the end of stderr. */
  end(): { readonly stdout: string; readonly stderr: string } {
    this.#readers.stdout.end();
    this.#readers.stderr.end();
    this.#reportDropped();
    this.#flush();
    return { stdout: Buffer.concat(this.#captured).toString(), stderr: wholeLines(this.#tail) };
  }

  /** Whether more was printed than may be captured. */
  get isOverCapture(): boolean {
    return this.#capturedBytes > (this.#options.captureBytes ?? Infinity);
  }

  #capture(stream: OutputStream, chunk: Buffer, limit: number): void {
    if (stream === 'stderr') return;
    const free = limit - this.#capturedBytes;
    this.#capturedBytes += chunk.length;
    if (free > 0) this.#captured.push(chunk.subarray(0, free));
  }

  #keep(stream: OutputStream, line: string): void {
    if (this.#spend(line.length)) this.#add({ stream, line });
    else this.#droppedBytes += line.length + 1;
  }

  #spend(bytes: number): boolean {
    const cost = bytes + LINE_COST_BYTES;
    const isEnough = cost <= this.#leftBytes;
    // After the first dropped line all others are dropped too: a gap in the middle would mislead.
    this.#leftBytes = isEnough ? this.#leftBytes - cost : 0;
    return isEnough;
  }

  #add(line: OutputLine): void {
    this.#lines.push(line);
    this.#batchBytes += line.line.length;
    if (this.#options.isImmediate === true || this.#batchBytes > BATCH_BYTES) this.#flush();
    else this.#flushing ??= setImmediate(() => this.#flush());
  }

  #flush(): void {
    clearImmediate(this.#flushing);
    this.#flushing = undefined;
    this.#batchBytes = 0;
    if (this.#lines.length > 0) this.#options.onLines(this.#lines.splice(0));
  }

  #reportDropped(): void {
    if (this.#droppedBytes === 0) return;
    const line = `hooklet: the output limit of a run was reached, ${this.#droppedBytes} more bytes were dropped`;
    this.#droppedBytes = 0;
    this.#add({ stream: 'stderr', line });
  }
}

function lastBytes(tail: Buffer, chunk: Buffer): Buffer {
  // Keeps one byte more, which shows whether the first line was cut.
  if (chunk.length > TAIL_BYTES) return Buffer.from(chunk.subarray(-TAIL_BYTES - 1));
  const both = Buffer.concat([tail, chunk]);
  return both.length > TAIL_BYTES ? both.subarray(-TAIL_BYTES - 1) : both;
}

function wholeLines(tail: Buffer): string {
  if (tail.length <= TAIL_BYTES) return tail.toString();
  const firstBreak = tail.indexOf(NEWLINE);
  return `…\n${tail.subarray(firstBreak === -1 ? 1 : firstBreak + 1).toString()}`;
}
