import type { Readable } from 'node:stream';
import { eventually } from '../lib/deadline.ts';
import type { IncomingBody } from './incoming-bodies.ts';

/** A body that is refused; the message is for the client. */
export class BodyError extends Error {
  readonly status: 408 | 413;

  constructor(status: 408 | 413, message: string) {
    super(message);
    this.status = status;
  }
}

/** The limits of reading one body. */
export interface BodyLimits {
  readonly maxBytes: number;
  readonly limitMs: number;
  /** Aborts when the client has disconnected. */
  readonly signal: AbortSignal;
  /** Counts the body with those of other requests; `refuse` ends the reading. */
  readonly begin?: (refuse: (error: BodyError) => void) => Pick<IncomingBody, 'add' | 'complete'>;
}

/**
 * Reads a body, given its Content-Length header. Rejects with `BodyError` for a body that is too long, which is not
 * buffered, and for one that is not complete in time.
 */
export async function readBody(
  body: Readable,
  contentLength: string | undefined,
  { maxBytes, limitMs, signal, begin }: BodyLimits,
): Promise<Buffer> {
  const tooLong = (): BodyError => new BodyError(413, `the body is longer than ${maxBytes} bytes`);
  if (Number(contentLength ?? 0) > maxBytes) throw tooLong();
  const late = (): never => {
    throw new BodyError(408, `the body was not received within ${limitMs / 1000} s`);
  };
  return eventually<Buffer>({ limitMs, late, signal }, ({ resolve, reject }) => {
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    const counted = begin?.(reject);
    const add = (piece: Uint8Array): void => {
      bytes += piece.length;
      counted?.add(piece.length);
      if (bytes > maxBytes) reject(tooLong());
      else pieces.push(piece);
    };
    const end = (): void => {
      counted?.complete();
      resolve(Buffer.concat(pieces));
    };
    body.on('data', add).once('end', end);
    return () => body.off('data', add).off('end', end);
  });
}
