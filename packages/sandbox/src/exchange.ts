import type { ApiRequest, ReplyHeaders, WatchSink } from './api-request.ts';
import type { Faults } from './faults.ts';
import type { ResponsePort } from './response-port.ts';
import { StatusError } from './status-error.ts';
import { until } from './until.ts';

/** The connection is closed if the client reads nothing for this long. */
const DRAIN_LIMIT_MS = 60_000;

/**
 * A watch with more unread bytes than this is closed, as the API server does. The first list of a large cluster must
 * fit.
 */
const MAX_UNREAD_BYTES = 256 * 1024 * 1024;

/** One request and its response. Everything that is sent passes through here, so this is where faults act on it. */
export class Exchange implements WatchSink {
  readonly request: ApiRequest;
  readonly watch: boolean;
  readonly #response: ResponsePort;
  readonly #faults: Faults;
  #isSilent = false;
  #bytesLeft = Number.POSITIVE_INFINITY;
  #atTheLimit: 'hangUp' | 'end' = 'end';
  /** Whether the events are those of the first list. */
  #isInitial: boolean;
  /** Takes each event after those of the first list, and sends it. */
  tap: ((line: string | Buffer, send: () => void) => void) | undefined;
  /** Who waits for an answer that a fault delays; empty for one without a name, undefined while there is no delay. */
  delayed: string | undefined;

  constructor(request: ApiRequest, watch: boolean, response: ResponsePort, faults: Faults) {
    this.request = request;
    this.watch = watch;
    this.#response = response;
    this.#faults = faults;
    this.#isInitial = request.query.get('sendInitialEvents') === 'true';
  }

  get closed(): boolean {
    return this.#response.destroyed || this.#response.writableEnded;
  }

  /** The status code that was sent, or 0 if none was sent yet. */
  get code(): number {
    return this.#response.headersSent ? this.#response.statusCode : 0;
  }

  /** Whether nothing is sent any more, although the connection is open. */
  get isSilent(): boolean {
    return this.#isSilent;
  }

  /** From now on nothing is sent, and the connection stays open. */
  silence(): void {
    this.#isSilent = true;
  }

  destroy(): void {
    this.#response.destroy();
    this.#response.socket?.destroy();
  }

  /** Sends at most this many bytes of the body, then closes the connection or ends the response. */
  limit(bytes: number, then: 'hangUp' | 'end'): void {
    this.#bytesLeft = bytes;
    this.#atTheLimit = then;
  }

  start(code: number, contentType: string, headers: ReplyHeaders = {}): void {
    if (this.#isSilent || this.closed) return;
    this.#response.writeHead(code, {
      'Content-Type': contentType,
      'Cache-Control': 'no-cache, private',
      ...headers,
    });
    // Flushed alone, they would be sent as UTF-8, in which the bytes of a warning are something else.
    if (headers['Warning'] === undefined) this.#response.flushHeaders();
  }

  /** Sends a piece of the body; after false the writer should wait for `drained`. */
  send(chunk: string | Buffer): boolean {
    if (this.#isSilent || this.closed) return true;
    const bytes = Buffer.from(chunk);
    if (bytes.length < this.#bytesLeft) {
      this.#bytesLeft -= bytes.length;
      return this.#response.write(bytes);
    }
    const rest = bytes.subarray(0, this.#bytesLeft);
    if (this.#atTheLimit === 'end') this.#response.end(rest);
    else this.#response.write(rest, () => this.destroy());
    this.#isSilent = true;
    return true;
  }

  /**
   * Resolves when the client has read what was sent or has disconnected. Closes the connection of a client that does
   * not read.
   */
  async drained(): Promise<void> {
    if (this.closed) return;
    let isRead = false;
    await until(DRAIN_LIMIT_MS, (done) => {
      const read = (): void => {
        isRead = true;
        done();
      };
      this.#response.once('drain', read).once('close', read);
      return () => this.#response.off('drain', read).off('close', read);
    });
    if (!isRead) this.#response.destroy();
  }

  write(line: string | Buffer, kind: 'event' | 'bookmark'): void {
    if (this.#isSilent || this.closed) return;
    if (this.#response.writableLength > MAX_UNREAD_BYTES) {
      this.destroy();
      return;
    }
    if (kind === 'bookmark') {
      this.#isInitial = false;
      if (this.#faults.take(this.request, true, 'noBookmarks') === undefined) this.send(line);
      return;
    }
    if (this.tap === undefined || this.#isInitial) this.#sendEvent(line);
    else this.tap(line, () => this.#sendEvent(line));
  }

  #sendEvent(line: string | Buffer): void {
    if (this.#isSilent || this.closed || this.#breaks(line)) return;
    const copies = this.#faults.take(this.request, true, 'duplicate')?.copies ?? 1;
    for (let copy = 0; copy < copies; copy += 1) this.send(line);
  }

  #breaks(line: string | Buffer): boolean {
    const half = Buffer.from(line).subarray(0, Math.ceil(line.length / 2));
    if (this.#faults.take(this.request, true, 'brokenLine') !== undefined) {
      this.send(half);
      this.send('\n');
      return true;
    }
    if (this.#faults.take(this.request, true, 'cutLine') === undefined) return false;
    this.limit(half.length, 'hangUp');
    this.send(half);
    return true;
  }

  /** Ends a watch with an ERROR event. */
  fail(code: number, message: string | undefined): void {
    const reason = code === 410 ? 'Expired' : 'InternalError';
    const { status } = new StatusError({ code, reason, message: message ?? 'a fault was asked for' });
    this.send(`${JSON.stringify({ type: 'ERROR', object: status })}\n`);
    this.end();
  }

  end(): void {
    if (!this.#isSilent && !this.closed) this.#response.end();
  }

  onClose(listener: () => void): void {
    // A response that is already closed does not emit `close` again.
    if (this.#response.closed) listener();
    else this.#response.once('close', listener);
  }
}
