import { constants, type ClientHttp2Session } from 'node:http2';
import type { Settle } from '../../lib/deadline.ts';
import { bodyOf, type Answer, type Outgoing } from '../agent/exchange.ts';

export interface Sent {
  /** Host and port of the URL. */
  readonly authority: string;
  readonly outgoing: Outgoing;
}

/** Sends a request on a connection; returns what ends it. */
export function sendOn(
  session: ClientHttp2Session,
  { authority, outgoing }: Sent,
  { resolve, reject }: Settle<Answer>,
): () => void {
  const { method, path, headers, body, maxBytes } = outgoing;
  const length = body.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const head = { ':method': method, ':path': path, ':authority': authority, 'content-length': length, ...headers };
  const stream = session.request(head, { endStream: length === 0 });
  let status = 0;
  let headAtMs = 0;
  const { pieces, take } = bodyOf(maxBytes, reject);
  stream.on('response', (answer) => {
    headAtMs = performance.now();
    status = answer[':status'] ?? 0;
  });
  stream.on('data', take);
  stream.once('end', () => {
    // A stream that was cut off ends, too.
    if (status === 0 || stream.rstCode !== constants.NGHTTP2_NO_ERROR) return;
    resolve({ status, body: pieces, headAtMs });
  });
  stream.on('error', (error) => reject(causeOf(error)));
  // After its end, this says nothing new.
  stream.once('close', () => reject(new Error('the answer was cut off')));
  for (const piece of body) if (piece.byteLength > 0) stream.write(piece);
  if (length > 0) stream.end();
  return () => stream.close(constants.NGHTTP2_CANCEL);
}

/** A request that never was on the wire fails with what became of its connection. */
function causeOf(error: Error): Error {
  return error.cause instanceof Error ? error.cause : error;
}
