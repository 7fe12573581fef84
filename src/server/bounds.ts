/** What a server lets its clients have. */
export interface ServerBounds {
  /** A connection above this takes the place of the one that was silent longest. */
  readonly maxConnections: number;
  /** Requests of one connection that wait for their answers; one more ends the connection, or its HTTP/2 stream. */
  readonly maxPending: number;
  /** From the first byte of a request, or the connection, until its headers are there; then the connection ends. */
  readonly headersLimitMs: number;
  /**
   * From a request until the client has taken its answer. Then the connection ends; with HTTP/2 only the stream, if the
   * server has not answered.
   */
  readonly answerLimitMs: number;
  /** Absent: no route reads a body. */
  readonly bodies?: BodyBounds;
  /** Requests whose bodies are read or whose handlers run; one more gets 503. Default: any number. */
  readonly maxConcurrent?: number;
}

export interface BodyBounds {
  /** No route reads a longer one. */
  readonly maxBytes: number;
  /** From the headers until the body is there; then the client gets 408. */
  readonly limitMs: number;
}

/** Longer than the usual time between two scrapes, so that they need one connection. */
export const KEEP_ALIVE_MS = 75_000;
export const MAX_HEADER_BYTES = 16_384;
export const MAX_HEADERS = 100;
