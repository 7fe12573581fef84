import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';

/** Names in lower case; several values of one name are sent one by one. */
export type Headers = Readonly<Record<string, string | readonly string[]>>;

/** The connection that carries a request. */
export interface Carrier {
  /** How long ago something came from the server on it; answers to pings and probes count. */
  silentForMs(): number;
  /** Aborts when the connection is given up: what is on it ends then, whatever the library below does. */
  readonly lost: AbortSignal;
  /** Whether pings look after it. If not, a stream that is silent may be one that is dead. */
  readonly isPinged: boolean;
  /** Nothing came on a stream of it for too long, though it is pinged: no more requests are sent on it. */
  distrust?(): void;
  /** Tells of the bytes that come, where all of them belong to one response; gives what ends that. */
  onBytes?(listener: (bytes: number) => void): () => void;
}

/** A request as it goes over a connection. */
export interface HttpRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Headers;
  readonly body?: string | Uint8Array;
  /** Told which connection carries it, again when it is repeated on another. */
  readonly onCarried?: ((carrier: Carrier) => void) | undefined;
}

/** A response whose headers came; its body must be read to the end or cancelled. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readable;
  readonly carrier: Carrier;
  /** Ends the response without reading the rest. */
  cancel(): void;
  /** Called when nothing more is wanted of the response, whatever became of it. */
  done?(): void;
  /** After the body ended: whether the peer cut it short without an error. */
  isTruncated(): boolean;
}

/** Connections of one protocol to one server. */
export interface HttpConnections {
  /** Rejects with the socket's error, or with the reason of `signal`. */
  send(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse>;
  /** Lets what is open finish for a while, keeps nothing, and resolves when all is closed. */
  retire(): Promise<void>;
  /** Ends every connection at once. */
  close(): void;
}

/** The `code` of a system error, or an empty string. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** The port of `server`, the scheme's own where it names none. */
export function portOf(server: URL): number {
  if (server.port !== '') return Number(server.port);
  return server.protocol === 'https:' ? 443 : 80;
}

/** The error for a peer that did nothing for too long. */
export function timedOut(message: string): Error {
  return Object.assign(new Error(message), { code: 'ETIMEDOUT' });
}
