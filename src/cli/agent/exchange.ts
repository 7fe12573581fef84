/** One address of a URL. */
export interface Place {
  readonly url: URL;
  /** An IP address; the certificate must be of the host of the URL all the same. */
  readonly address: string;
}

/** A request, with what its answer may be. */
export interface Outgoing {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: readonly Uint8Array[];
  /** Of the body of the answer. */
  readonly maxBytes: number;
  /** From the beginning of the request to the end of the answer. */
  readonly limitMs: number;
  /** Whether the request or its answer may be long: it must keep none waiting that is not. Default false. */
  readonly isLong?: boolean;
}

/** An answer that has arrived whole. */
export interface Answer {
  readonly status: number;
  readonly body: readonly Buffer[];
  /** When its head arrived, as `performance.now()` counts. */
  readonly headAtMs: number;
}

/** The connections to replicas. */
export interface Wire {
  /** Rejects when there is no whole answer within the limits, however slowly or much the server sends. */
  exchange(place: Place, outgoing: Outgoing, signal: AbortSignal): Promise<Answer>;
  /** Ends all connections. */
  close(): void;
}

/** No connection came about in time. */
export class NoConnectionError extends Error {}

/** The host of a URL, an IPv6 address without its brackets. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

/** The error of a request whose answer did not end in time. */
export function lateError(limitMs: number): Error {
  return new Error(`there was no whole answer within ${limitMs / 1000} s`);
}

/** Takes the pieces of a body up to a size; `onTooLong` is called for more. */
export function bodyOf(maxBytes: number, onTooLong: (error: Error) => void) {
  const pieces: Buffer[] = [];
  let bytes = 0;
  return {
    pieces,
    take: (piece: Buffer): void => {
      bytes += piece.length;
      if (bytes <= maxBytes) pieces.push(piece);
      else onTooLong(new Error(`the answer is longer than ${maxBytes} bytes`));
    },
  };
}
