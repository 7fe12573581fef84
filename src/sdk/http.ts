import type { QueueOptions } from './bindings.ts';

/** Runs the hook for requests to `/trigger/<hook>/<binding>`. */
export interface HttpDeclaration {
  readonly type: 'http';
  readonly options: HttpOptions;
}

/** Who may trigger the hook, and how often. */
export interface HttpOptions extends QueueOptions {
  /**
   * How a caller shows who it is; default `token`: a bearer token of the cluster, whose user may `trigger` the hook. The
   * secret of signatures is in a file.
   */
  readonly authentication?:
    | { readonly type: 'token' }
    | { readonly type: 'github' | 'slack'; readonly secretFile: string };
  /** A longer body is refused; default 1 MiB, at most 8 MiB. */
  readonly maxBodyBytes?: number;
  /** How many requests are taken a minute, and how many at once; default 60 and 20. */
  readonly rateLimit?: { readonly perMinute?: number; readonly burst?: number };
}

/** A request that was taken. */
export interface HttpContext<Name extends string> {
  readonly type: 'Http';
  readonly binding: Name;
  readonly request: HttpRequest;
  /** The user of the token, or `github` or `slack`. */
  readonly caller: string;
  /** What the caller was answered; the same for every attempt. */
  readonly runId: string;
  /** When the request came, in RFC 3339. */
  readonly receivedAt: string;
}

/** What a caller sent, without what shows who it is. */
export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  /** Of several values of one parameter the last. */
  readonly query: Readonly<Record<string, string>>;
  /** Names in small letters. */
  readonly headers: Readonly<Record<string, string>>;
  /** Absent where the body is no UTF-8: then `bodyBase64` has it. */
  readonly body?: string;
  readonly bodyBase64?: string;
  /** The body, parsed; absent unless its content type is JSON and it is JSON. */
  readonly json?: unknown;
}

/** Runs the hook for requests to `/trigger/<hook>/<binding>`, with a queue as for an event. */
export function http(options: HttpOptions = {}): HttpDeclaration {
  return { type: 'http', options };
}
