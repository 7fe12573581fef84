/**
 * The stages of a connection to an API server. At `secured`, TLS is up for the client, which writes at once, but not
 * yet for the server. Over HTTP/1.1, which has no SETTINGS, the beginning of a request stands for `afterSettings`, and
 * the last chunk of a response for `goaway`.
 */
export const STAGES = [
  'accepted',
  'handshake',
  'secured',
  'beforeSettings',
  'afterSettings',
  'requestSent',
  'headers',
  'body',
  'idle',
  'goaway',
] as const;

export type Stage = (typeof STAGES)[number];

/** The faults of a network: `slow` passes one byte per second. */
export const CONNECTION_FAULTS = ['reset', 'fin', 'silence', 'garbage', 'slow'] as const;

export type ConnectionFault = (typeof CONNECTION_FAULTS)[number];

/** The protocol that was negotiated in the TLS handshake. */
export const PROTOCOLS = ['h2', 'http/1.1'] as const;

export type Protocol = (typeof PROTOCOLS)[number];

/** Bytes to pass on, and the stage of the connection after that. */
export interface Segment {
  readonly bytes: Buffer;
  readonly reaches?: Stage;
}

/** Splits the bytes of a connection where a stage is reached. */
export interface StageWatcher {
  /** Handles bytes from the client. */
  up(chunk: Buffer): readonly Segment[];
  /** Handles bytes from the server. */
  down(chunk: Buffer): readonly Segment[];
  /** Whether a response is open, all of whose bytes so far have passed. */
  isIdle(): boolean;
  /** What a server that shuts down sends: no more requests on this connection. */
  farewell(): Buffer;
}

/** The two halves of a body's bytes; after the first one the connection is in the middle of the body. */
export function halved(bytes: Buffer, middle: number): readonly Segment[] {
  return [{ bytes: bytes.subarray(0, middle), reaches: 'body' }, { bytes: bytes.subarray(middle) }];
}
