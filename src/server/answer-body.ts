import { Readable, type Writable } from 'node:stream';
import type { HttpAnswer } from './answering.ts';

/** How much of a body is given to a connection at once. */
const PIECE_BYTES = 256 * 1024;

/** The length of a body with its pieces. */
export function bodyLength({ body, pieces = [] }: Pick<HttpAnswer, 'body' | 'pieces'>): number {
  return pieces.reduce((sum, { byteLength }) => sum + byteLength, Buffer.byteLength(body));
}

/** Sends the body and ends the answer; pieces are sent as fast as the client reads. */
export function sendBody(out: Writable, { body, pieces }: Pick<HttpAnswer, 'body' | 'pieces'>): void {
  if (pieces === undefined) {
    out.end(body);
    return;
  }
  // What is not read any more ends with the connection, on which everybody who sends has a limit.
  Readable.from(smallPieces([Buffer.from(body), ...pieces]), { objectMode: false }).pipe(out);
}

function* smallPieces(pieces: readonly Uint8Array[]): Generator<Uint8Array, void, void> {
  for (const piece of pieces) {
    for (let at = 0; at < piece.byteLength; at += PIECE_BYTES) yield piece.subarray(at, at + PIECE_BYTES);
  }
}
