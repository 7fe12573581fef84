import type { RemoteLine } from '../../hook/remote-run.ts';
import { encodeLine, MAX_OUTPUT_BYTES } from '../../hook/remote-wire.ts';
import { sleep } from '../../lib/sleep.ts';

/** A batch is sent at once from this size. */
const FULL_BYTES = 64 * 1024;
/** Of lines that wait while the operator cannot be reached. */
const MAX_WAITING_BYTES = 1024 * 1024;
/** Of one line; a longer one can only be an entry with long fields. */
const MAX_LINE_BYTES = 128 * 1024;
const MAX_CUT_CHARS = 10_000;

export interface LineSenderOptions {
  /** Sends lines, as they are on the wire, until they are taken or nobody wants them any more; never rejects. */
  readonly send: (lines: Uint8Array, signal: AbortSignal) => Promise<void>;
  /** Aborts when nobody wants lines any more. */
  readonly lost: AbortSignal;
  /** How long lines wait for others after lines were sent. */
  readonly batchMs: number;
  /** How often something is sent where there are no lines; absent: never. */
  readonly beatMs?: number;
}

/** Sends lines to the operator, in order and in batches, and something now and then where there are none. */
export class LineSender {
  readonly #options: LineSenderOptions;
  readonly #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #sendingBytes = 0;
  #dropped = 0;
  #isClosed = false;
  #sentAtMs = -Infinity;
  #wake: () => void = () => {};

  constructor(options: LineSenderOptions) {
    this.#options = options;
  }

  push(line: RemoteLine): void {
    const encoded = encodeBounded(line);
    this.#waiting.push(encoded);
    this.#waitingBytes += encoded.length;
    while (this.#waitingBytes + this.#sendingBytes > MAX_WAITING_BYTES) this.#drop();
    if (this.#waiting.length === 1 || this.#waitingBytes >= FULL_BYTES) this.#wake();
  }

  /** No line comes any more: `run` returns when all are sent. */
  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  /** Sends until `close`, or until `signal` aborts or the run is lost. */
  async run(signal: AbortSignal): Promise<void> {
    const { batchMs, beatMs = Infinity, lost } = this.#options;
    const end = AbortSignal.any([signal, lost]);
    while (!end.aborted) {
      if (this.#waiting.length === 0 && !this.#isClosed) await this.#pause(beatMs, end);
      if (this.#mayGrow()) await this.#pause(this.#sentAtMs + batchMs - performance.now(), end);
      if (this.#isClosed && this.#waiting.length === 0) return;
      if (!end.aborted) await this.#send(this.#take(), signal);
    }
  }

  /** Whether lines wait for others, to be sent with them. */
  #mayGrow(): boolean {
    return this.#waiting.length > 0 && this.#waitingBytes < FULL_BYTES && !this.#isClosed;
  }

  async #send(batch: Buffer, signal: AbortSignal): Promise<void> {
    this.#sendingBytes = batch.length;
    this.#sentAtMs = performance.now();
    await this.#options.send(batch, signal);
    this.#sendingBytes = 0;
  }

  #take(): Buffer {
    const notice = this.#dropped > 0 ? [encodeBounded(droppedLine(this.#dropped))] : [];
    this.#dropped = 0;
    let bytes = notice.reduce((sum, { length }) => sum + length, 0);
    const firstLeft = this.#waiting.findIndex(({ length }) => (bytes += length) > MAX_OUTPUT_BYTES);
    const lines = this.#waiting.splice(0, firstLeft === -1 ? this.#waiting.length : firstLeft);
    this.#waitingBytes -= lines.reduce((sum, { length }) => sum + length, 0);
    return Buffer.concat([...notice, ...lines]);
  }

  #drop(): void {
    const [oldest] = this.#waiting;
    if (oldest === undefined) return;
    this.#waiting.shift();
    this.#waitingBytes -= oldest.length;
    this.#dropped += 1;
  }

  async #pause(delayMs: number, end: AbortSignal): Promise<void> {
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    await sleep(delayMs, AbortSignal.any([woken.signal, end]));
  }
}

function droppedLine(count: number): RemoteLine {
  return { stream: 'stderr', line: `hooklet: ${count} lines were dropped here, as the operator could not be reached` };
}

function encodeBounded(line: RemoteLine): Buffer {
  const encoded = Buffer.from(encodeLine(line));
  if (encoded.length <= MAX_LINE_BYTES) return encoded;
  const { stream, line: text, entry } = line;
  const cut = `${text.slice(0, MAX_CUT_CHARS).toWellFormed()}:truncated`;
  return Buffer.from(encodeLine({ stream, line: cut, ...(entry && { entry: { level: entry.level, fields: {} } }) }));
}
