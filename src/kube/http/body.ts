import { Bell } from '../../lib/bell.ts';
import type { HttpResponse } from './http.ts';
import { LineWatch } from './line-watch.ts';

/** The stream is paused while more than this waits for a slow reader. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;

export interface ReadOptions {
  readonly signal: AbortSignal;
  /**
   * Reading fails with `IdleError` after this long without data; the time while a slow reader pauses the stream does
   * not count.
   */
  readonly idleTimeoutMs?: number;
  readonly onData?: () => void;
  /**
   * Whether the body consists of lines that the server sends at once; a stalled line fails the reading with
   * `IdleError`.
   */
  readonly isLines?: boolean;
}

/** Discovery of a cluster with thousands of kinds needs a few megabytes. */
const MAX_WHOLE_BYTES = 64 * 1024 * 1024;

const TRUNCATED = 'the connection was lost in the middle of the response';

/** No data arrived for too long. */
export class IdleError extends Error {}
/** The body is larger than its limit. */
export class TooLargeError extends Error {}
/** The connection was lost before the body was complete. */
export class TruncatedError extends Error {}

/**
 * Yields the body of `response` as it arrives. Data is taken from the connection at once, up to a limit, so that a slow
 * reader does not block the server; leaving the loop early cancels the response. Throws `IdleError`, `TruncatedError`,
 * or the error of the connection.
 */
export async function* readBody(response: HttpResponse, options: ReadOptions): AsyncGenerator<Uint8Array, void, void> {
  const arrival = new Arrival(response, options);
  try {
    for (;;) {
      const chunk = await arrival.next();
      if (chunk === undefined) break;
      yield chunk;
    }
    if (response.isTruncated()) throw new TruncatedError(TRUNCATED);
  } finally {
    arrival.stop();
  }
}

/** Reads the whole body; rejects with `TooLargeError` as soon as it exceeds `maxBytes`, by default 64 MiB. */
export async function readWhole(
  response: HttpResponse,
  { maxBytes = MAX_WHOLE_BYTES, ...options }: ReadOptions & { readonly maxBytes?: number | undefined },
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of readBody(response, options)) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new TooLargeError(`the response has more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Reads the first `maxBytes` of a body, enough for an error message, and cancels the rest. */
export async function readStart(response: HttpResponse, options: ReadOptions, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of readBody(response, options)) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= maxBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, maxBytes);
}

class Arrival {
  readonly #response: HttpResponse;
  readonly #options: ReadOptions;
  readonly #idleTimer: NodeJS.Timeout | undefined;
  readonly #lines: LineWatch | undefined;
  #arrived: Uint8Array[] = [];
  #batch: Uint8Array[] = [];
  #waitingBytes = 0;
  #end: { readonly error: Error | undefined } | undefined;
  readonly #bell = new Bell();

  constructor(response: HttpResponse, options: ReadOptions) {
    this.#response = response;
    this.#options = options;
    const { body } = response;
    // Not `finished` of node:stream: it reports an HTTP/2 stream that still holds its last data as cut off.
    body.on('data', this.#onData).once('end', this.#onEnd).once('error', this.#onError).once('close', this.#onClose);
    if (body.destroyed) this.#onClose();
    options.signal.addEventListener('abort', this.#onAbort, { once: true });
    if (options.signal.aborted) this.#onAbort();
    const { lost } = response.carrier;
    lost.addEventListener('abort', this.#onLost, { once: true });
    if (lost.aborted) this.#onLost();
    if (options.isLines === true) this.#lines = new LineWatch(response, () => this.#giveUp('a line stalled'));
    if (options.idleTimeoutMs !== undefined) this.#idleTimer = setTimeout(this.#onIdle, options.idleTimeoutMs);
  }

  /** Returns the next chunk, or undefined at the end. */
  async next(): Promise<Uint8Array | undefined> {
    for (;;) {
      const chunk = this.#take();
      if (chunk !== undefined) return chunk;
      if (this.#end !== undefined) {
        this.#options.signal.throwIfAborted();
        if (this.#end.error !== undefined) throw this.#end.error;
        return undefined;
      }
      // Rung by new data, the end of the body, the signal, the loss of the connection, and the idle timer.
      await this.#bell.rung();
    }
  }

  stop(): void {
    clearTimeout(this.#idleTimer);
    this.#lines?.end();
    this.#options.signal.removeEventListener('abort', this.#onAbort);
    this.#response.carrier.lost.removeEventListener('abort', this.#onLost);
    const { body } = this.#response;
    body.off('data', this.#onData).off('end', this.#onEnd).off('error', this.#onError).off('close', this.#onClose);
    if (this.#end === undefined) this.#response.cancel();
    this.#response.done?.();
    this.#arrived = [];
    this.#batch = [];
  }

  #take(): Uint8Array | undefined {
    if (this.#batch.length === 0) {
      // A reversed batch makes taking the first chunk cheap: shifting a long array moves all its elements.
      this.#batch = this.#arrived.reverse();
      this.#arrived = [];
    }
    const chunk = this.#options.signal.aborted ? undefined : this.#batch.pop();
    if (chunk === undefined) return undefined;
    this.#waitingBytes -= chunk.length;
    if (this.#waitingBytes < MAX_WAITING_BYTES / 2 && this.#response.body.isPaused()) this.#resume();
    return chunk;
  }

  #resume(): void {
    this.#idleTimer?.refresh();
    this.#response.body.resume();
  }

  #giveUp(why: string): void {
    this.#response.cancel();
    this.#finish(new IdleError(why));
  }

  #finish(error: Error | undefined): void {
    this.#end ??= { error };
    clearTimeout(this.#idleTimer);
    this.#lines?.end();
    this.#bell.ring();
  }

  readonly #onData = (chunk: Uint8Array): void => {
    this.#arrived.push(chunk);
    this.#waitingBytes += chunk.length;
    if (this.#waitingBytes > MAX_WAITING_BYTES) this.#response.body.pause();
    this.#idleTimer?.refresh();
    this.#lines?.came(chunk);
    this.#options.onData?.();
    this.#bell.ring();
  };

  readonly #onEnd = (): void => {
    this.#finish(undefined);
  };

  readonly #onError = (error: Error): void => {
    this.#finish(error);
  };

  readonly #onClose = (): void => {
    // `close` follows each regular end too, and creating an error is costly.
    if (this.#end === undefined) this.#finish(new TruncatedError(TRUNCATED));
  };

  /** The connection was given up; the body itself may never report that. */
  readonly #onLost = (): void => {
    const reason: unknown = this.#response.carrier.lost.reason;
    this.#finish(reason instanceof Error ? reason : new TruncatedError(TRUNCATED));
  };

  readonly #onAbort = (): void => {
    this.#response.cancel();
    this.#finish(undefined);
  };

  readonly #onIdle = (): void => {
    if (this.#response.body.isPaused()) {
      this.#idleTimer?.refresh();
      return;
    }
    this.#response.carrier.distrust?.();
    this.#giveUp('no data');
  };
}
