import { EventEmitter } from 'node:events';
import type { OutgoingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';

/** What an exchange needs of a response: that of a server, or one without a socket. */
export interface ResponsePort {
  statusCode: number;
  readonly headersSent: boolean;
  readonly destroyed: boolean;
  readonly writableEnded: boolean;
  readonly writableLength: number;
  readonly closed: boolean;
  readonly socket: { destroy(): unknown } | null;
  writeHead(code: number, headers: OutgoingHttpHeaders): unknown;
  flushHeaders(): void;
  write(chunk: Buffer, written?: () => void): boolean;
  end(chunk?: Buffer): unknown;
  destroy(): unknown;
  once(event: 'drain' | 'close', listener: () => void): ResponsePort;
  off(event: 'drain' | 'close', listener: () => void): ResponsePort;
}

/** A response without a socket, when its headers were sent. */
export interface LocalResponse {
  readonly status: number;
  readonly headers: { readonly [name: string]: string | undefined };
  /** Emits an error when the connection would have been lost. */
  readonly body: Readable;
  /** Disconnects, as a client that closes its socket. */
  cancel(): void;
}

/** Receives what is sent to a client in this process. */
export class LocalPort extends EventEmitter implements ResponsePort {
  statusCode = 0;
  headersSent = false;
  destroyed = false;
  writableEnded = false;
  closed = false;
  readonly socket = null;
  readonly #body = new Readable({ read: () => {} });
  readonly #settle: (response: LocalResponse | Error) => void;

  /** `settle` is called once, with the response, or with an error when the connection is lost before. */
  constructor(settle: (response: LocalResponse | Error) => void) {
    super();
    this.#settle = settle;
    // A reader that has gone does not listen any more.
    this.#body.on('error', () => {});
  }

  get writableLength(): number {
    return this.#body.readableLength;
  }

  writeHead(code: number, headers: OutgoingHttpHeaders): void {
    this.statusCode = code;
    this.headersSent = true;
    const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), textOf(value)]);
    this.#settle({
      status: code,
      headers: Object.fromEntries(lower),
      body: this.#body,
      cancel: () => this.cancel(),
    });
  }

  flushHeaders(): void {}

  write(chunk: Buffer, written?: () => void): boolean {
    if (!this.#isOver()) this.#body.push(chunk);
    if (written !== undefined) queueMicrotask(written);
    return true;
  }

  end(chunk?: Buffer): void {
    if (this.#isOver()) return;
    if (chunk !== undefined) this.#body.push(chunk);
    this.#body.push(null);
    this.writableEnded = true;
    queueMicrotask(() => this.#close());
  }

  destroy(): void {
    if (this.#isOver()) return;
    this.destroyed = true;
    const error = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
    if (this.headersSent) this.#body.destroy(error);
    else this.#settle(error);
    queueMicrotask(() => this.#close());
  }

  /** The client has gone. */
  cancel(): void {
    this.#body.destroy();
    if (this.#isOver()) return;
    this.destroyed = true;
    queueMicrotask(() => this.#close());
  }

  #isOver(): boolean {
    return this.destroyed || this.writableEnded;
  }

  #close(): void {
    if (this.closed) return;
    this.closed = true;
    this.emit('close');
  }
}

function textOf(value: OutgoingHttpHeaders[string]): string {
  return Array.isArray(value) ? value.join(', ') : String(value);
}
