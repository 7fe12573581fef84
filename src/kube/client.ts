import type { Carrier } from './http/http.ts';

/** One request to the API server. */
export interface KubeRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Absolute path, such as `/api/v1/namespaces/default/pods`; segments are already escaped. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body?: string | Uint8Array;
  /** Default `application/json`. */
  readonly contentType?: string;
  /** Default `application/json`. */
  readonly accept?: string;
  /** Keep whole numbers above 2^53 of the response, as `parseExactJson` does; for an object that is to be written back. */
  readonly isExact?: boolean;
  /** Limit on the response body in bytes; default 64 MiB. */
  readonly maxBytes?: number;
  /** Limit for the whole request, or for a stream until its headers arrive; default 30 s. */
  readonly timeoutMs?: number;
  /** The label of the request in metrics; default `main`. */
  readonly component?: RequestComponent;
  /** Called with the connection that carries the request, and again when the request is repeated on another one. */
  readonly onCarried?: (carrier: Carrier) => void;
  /** Called with the time of the API server, in whole seconds, when a 2xx response says it. */
  readonly onServerTime?: (timeMs: number) => void;
}

/** What a request is for, in the metrics: the patches of a hook, or all else. */
export type RequestComponent = 'main' | 'object_patcher';

/**
 * The only way to the API server. All methods reject with `KubeError` (which carries the server's message, reason and
 * Retry-After), with `ResourceExpiredError` for a 410, and with `CredentialsError` when there are no usable
 * credentials.
 */
export interface KubeClient {
  /** Returns the parsed JSON body of the response. */
  request(request: KubeRequest, signal: AbortSignal): Promise<unknown>;
  /** Returns the body of the response as bytes. */
  bytes(request: KubeRequest, signal: AbortSignal): Promise<Uint8Array>;
  /**
   * Yields the lines of a streamed response without their newlines, each in a buffer of its own; ends when the server
   * ends the stream. `onOpen` is called when the headers arrive with a 2xx status, `onData` whenever bytes arrive.
   * Throws `KubeError` when the stream ends in the middle of a line.
   */
  lines(request: KubeRequest, options: StreamOptions): AsyncIterable<Uint8Array>;
  /** Yields the chunks of a streamed response as they arrive, for a large body that is read incrementally. */
  chunks(request: KubeRequest, options: StreamOptions): AsyncIterable<Uint8Array>;
  /** Closes every connection; open requests and streams fail. */
  close(): Promise<void>;
}

export interface StreamOptions {
  readonly signal: AbortSignal;
  /** The stream counts as dead, and throws `KubeError` with reason `Idle`, after this long without data. */
  readonly idleTimeoutMs: number;
  readonly onOpen?: () => void;
  readonly onData?: () => void;
  /** Of a stream of lines: which are not yielded. It must not keep the line, which may be part of a larger buffer. */
  readonly isDropped?: (line: Uint8Array) => boolean;
}
