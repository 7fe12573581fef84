import type { IncomingLimits } from './incoming-bodies.ts';

/** The limits that a server sets to its clients. */
export interface ServerBounds {
  /** Limit of connections; one more replaces the connection that has been silent longest, of those that are not trusted first. */
  readonly maxConnections: number;
  /** Limit of unanswered requests per connection; one more ends the connection, or its HTTP/2 stream. */
  readonly maxPending: number;
  /** The same of a connection with HTTP/2 that is trusted; default: `maxPending`. */
  readonly maxPendingTrusted?: number;
  /**
   * Time from the start of the connection or the first byte of a request until its headers are complete; after that the
   * connection is closed.
   */
  readonly headersLimitMs: number;
  /**
   * Time from a request until the client has received its answer. After that the connection is closed; with HTTP/2 only
   * the stream, if the server has not answered.
   */
  readonly answerLimitMs: number;
  /** When absent, no route reads a body. */
  readonly bodies?: BodyBounds;
  /** Limit of requests whose handlers run; one more gets a 503. Default: no limit. */
  readonly maxConcurrent?: number;
  /** Time for pending requests to be answered when the server closes. Default: 500 ms. */
  readonly closeGraceMs?: number;
}

/** The limits of request bodies. */
export interface BodyBounds extends IncomingLimits {
  /** Limit of any body. */
  readonly maxBytes: number;
  /** Time from the headers until the body is complete; after that the client gets a 408. */
  readonly limitMs: number;
}

/** Longer than the default interval of scrapes, so that a scraper needs one connection. */
export const KEEP_ALIVE_MS = 75_000;
export const MAX_HEADER_BYTES = 16_384;
export const MAX_HEADERS = 100;
