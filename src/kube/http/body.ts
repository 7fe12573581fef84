import { Bell } from '../../lib/bell.ts';
import type { HttpResponse } from './http.ts';
import { LineWatch } from './line-watch.ts';

/** What may wait for a slow reader before the stream is paused. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024;

export interface ReadOptions {
  readonly signal: AbortSignal;
  /** Silence that ends the reading with `IdleError`; a reader that is behind is not silence. */
  readonly idleTimeoutMs?: number;
  readonly onData?: () => void;
  /** Whether the body is lines, each of which is sent at once: one that is held up ends the reading with `IdleError`. */
  readonly isLines?: boolean;
}

/** Discovery of a cluster with thousands of kinds has a few megabytes. */
const MAX_WHOLE_BYTES = 64 * 1024 * 1024;

const TRUNCATED = 'the connection was lost in the middle of the response';

/** Nothing came for too long. */
export class IdleError extends Error {}
/** More came than any answer of this kind has. */
export class TooLargeError extends Error {}
/** The connection was lost before the body was complete. */
export class TruncatedError extends Error {}

/**
 * The body of `response` as it comes. What arrives is taken from the connection at once, up to a limit, so that a slow
 * reader does not hold the server; leaving the loop early cancels the response.
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

/** The whole body in one piece; rejects with `TooLargeError` as soon as it has more than `maxBytes`, by default 64 MiB. */
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

/** The first `maxBytes` of a body, enough for what it says; the rest is not waited for. */
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
    // Not by `finished` of node:stream: it takes an HTTP/2 stream that holds its last data for one that was cut off.
    body.on('data', this.#onData).once('end', this.#onEnd).once('error', this.#onError).once('close', this.#onClose);
    if (body.destroyed) this.#onClose();
    options.signal.addEventListener('abort', this.#onAbort, { once: true });
    if (options.signal.aborted) this.#onAbort();
    const { lost } = response.carrier;
    lost.addEventListener('abort', this.#onLost, { once: true });
    if (lost.aborted) this.#onLost();
    if (options.isLines === true) this.#lines = new LineWatch(response, () => this.#giveUp('a line was held up'));
    if (options.idleTimeoutMs !== undefined) this.#idleTimer = setTimeout(this.#onIdle, options.idleTimeoutMs);
  }

  /** The next chunk, or undefined at the end. */
  async next(): Promise<Uint8Array | undefined> {
    for (;;) {
      const chunk = this.#take();
      if (chunk !== undefined) return chunk;
      if (this.#end !== undefined) {
        this.#options.signal.throwIfAborted();
        if (this.#end.error !== undefined) throw this.#end.error;
        return undefined;
      }
      // Rung by what arrives, by the end of the body, by the signal, by the loss of the connection, and by the idle timer.
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
      // Taken in batches and from the back, so that a long queue is not shifted chunk by chunk.
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
    // It comes after each good end too, and the stack of an error is costly.
    if (this.#end === undefined) this.#finish(new TruncatedError(TRUNCATED));
  };

  /** The connection was given up, whether the body hears of it or not. */
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
    this.#giveUp('silence');
  };
}
