/**
 * How far a connection to an API server has come. At `secured` TLS is up for the client, which writes at once, and not
 * yet for the server. Over HTTP/1.1, which has no SETTINGS, a request that has begun stands for `afterSettings`, and
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

/** What a network does to a connection: `slow` lets a byte a second pass. */
export const CONNECTION_FAULTS = ['reset', 'fin', 'silence', 'garbage', 'slow'] as const;

export type ConnectionFault = (typeof CONNECTION_FAULTS)[number];

/** What was agreed on in the TLS handshake. */
export const PROTOCOLS = ['h2', 'http/1.1'] as const;

export type Protocol = (typeof PROTOCOLS)[number];

/** Bytes to be passed on, and the stage that the connection is at when they have been. */
export interface Segment {
  readonly bytes: Buffer;
  readonly reaches?: Stage;
}

/** Cuts what passes on a connection where one of its stages is reached. */
export interface StageWatcher {
  /** From the client. */
  up(chunk: Buffer): readonly Segment[];
  /** From the server. */
  down(chunk: Buffer): readonly Segment[];
  /** Whether a response is open, all of whose bytes so far have passed. */
  isIdle(): boolean;
  /** What a server says that shuts down: no more requests on this connection. */
  farewell(): Buffer;
}

/** The first half of a body's bytes, where the connection is in the middle of it, and the second. */
export function halved(bytes: Buffer, middle: number): readonly Segment[] {
  return [{ bytes: bytes.subarray(0, middle), reaches: 'body' }, { bytes: bytes.subarray(middle) }];
}
