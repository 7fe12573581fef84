import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';

/** Header names are in lower case; several values of one name are sent as separate headers. */
export type Headers = Readonly<Record<string, string | readonly string[]>>;

/** The connection that carries a request. */
export interface Carrier {
  /** Milliseconds since data last arrived from the server on it; answers to pings and probes count. */
  silentForMs(): number;
  /**
   * Aborts when the connection is given up. Everything on it must end then, even if the library below reports nothing.
   */
  readonly lost: AbortSignal;
  /** Whether the connection is monitored by pings. If not, a silent stream may be dead. */
  readonly isPinged: boolean;
  /**
   * Called when a stream on it was silent for too long although pings are answered: no more requests are sent on it.
   */
  distrust?(): void;
  /**
   * Calls `listener` with the number of bytes that arrive, on a connection that carries one response at a time; returns
   * a function that stops it.
   */
  onBytes?(listener: (bytes: number) => void): () => void;
}

/** A request as it is sent on a connection. */
export interface HttpRequest {
  readonly method: string;
  /** Includes the query. */
  readonly path: string;
  readonly headers: Headers;
  readonly body?: string | Uint8Array;
  /** Called with the connection that carries the request, and again when it is repeated on another one. */
  readonly onCarried?: ((carrier: Carrier) => void) | undefined;
}

/** A response whose headers have arrived; its body must be read to the end or cancelled. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readable;
  readonly carrier: Carrier;
  /** Ends the response without reading the rest. */
  cancel(): void;
  /** Called when the caller has finished with the response, however it ended. */
  done?(): void;
  /** After the body ended: whether the server cut it short without an error. */
  isTruncated(): boolean;
}

/** Connections of one protocol to one server. */
export interface HttpConnections {
  /** Rejects with the socket's error, or with the reason of `signal`. */
  send(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse>;
  /** Lets open responses finish for a while, keeps no idle connection, and resolves when all are closed. */
  retire(): Promise<void>;
  /** Closes every connection at once. */
  close(): void;
}

/** The `code` of a system error, or an empty string. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** The port of `server`; the default port of the scheme when the URL has none. */
export function portOf(server: URL): number {
  if (server.port !== '') return Number(server.port);
  return server.protocol === 'https:' ? 443 : 80;
}

/** The error for a peer that exceeded a time limit; its `code` is ETIMEDOUT. */
export function timedOut(message: string): Error {
  return Object.assign(new Error(message), { code: 'ETIMEDOUT' });
}
