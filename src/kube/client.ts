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
  /** What the whole body of the response may have; default 64 MiB. */
  readonly maxBytes?: number;
  /** Time limit of the whole request, of a stream until its headers came; default 30 s. */
  readonly timeoutMs?: number;
  /** Told which connection carries the request, again when it is repeated on another. */
  readonly onCarried?: (carrier: Carrier) => void;
}

/**
 * The one way to the API server. All methods reject with `KubeError` (with the server's own message, reason and
 * Retry-After), `ResourceExpiredError` for 410, `CredentialsError` when there are no usable credentials.
 */
export interface KubeClient {
  /** The response's JSON body. */
  request(request: KubeRequest, signal: AbortSignal): Promise<unknown>;
  /** The response's body as it came. */
  bytes(request: KubeRequest, signal: AbortSignal): Promise<Uint8Array>;
  /**
   * The lines of a streamed response without their newlines, each a private copy; ends when the server ends it.
   * `onOpen` is called when the response headers came with a 2xx status, `onData` whenever bytes arrive. A stream that
   * ends in the middle of a line throws `KubeError`.
   */
  lines(request: KubeRequest, options: StreamOptions): AsyncIterable<Uint8Array>;
  /** The pieces of a streamed response as they come, for a big body that is read while it arrives. */
  chunks(request: KubeRequest, options: StreamOptions): AsyncIterable<Uint8Array>;
  /** Ends every connection; what is open fails. */
  close(): Promise<void>;
}

export interface StreamOptions {
  readonly signal: AbortSignal;
  /** Silence after which the stream counts as dead and throws `KubeError` with reason `Idle`. */
  readonly idleTimeoutMs: number;
  readonly onOpen?: () => void;
  readonly onData?: () => void;
}
