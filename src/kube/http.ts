import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';

/** Names in lower case; several values of one name are sent one by one. */
export type Headers = Readonly<Record<string, string | readonly string[]>>;

/** A request as it goes over a connection. */
export interface HttpRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: Headers;
  readonly body?: string | Uint8Array;
}

/** A response whose headers came; its body must be read to the end or cancelled. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readable;
  /** Ends the response without reading the rest. */
  cancel(): void;
  /** After the body ended: whether the peer cut it short without an error. */
  isTruncated(): boolean;
}

/** Connections of one protocol to one server. */
export interface HttpConnections {
  /** Rejects with the socket's error, or with the reason of `signal`. */
  send(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse>;
  /** Lets what is open finish, keeps nothing, and resolves when all is closed. */
  retire(): Promise<void>;
  close(): Promise<void>;
}

/** The `code` of a system error, or an empty string. */
export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
