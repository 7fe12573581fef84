import { until } from './until.ts';
import type { IncomingMessage } from 'node:http';

/** The limit of the API server. */
export const MAX_BODY_BYTES = 3 * 1024 * 1024;
const BODY_LIMIT_MS = 60_000;

/** Reads the body of a request; returns undefined if it is larger than `MAX_BODY_BYTES`. */
export async function readRequestBody(incoming: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let hasEnded = false;
  await until(BODY_LIMIT_MS, (done, failed) => {
    const keep = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes > MAX_BODY_BYTES) done();
      else chunks.push(chunk);
    };
    const end = (): void => {
      hasEnded = true;
      done();
    };
    const fail = (): void => failed(new Error('the request ended in the middle of its body'));
    incoming.on('data', keep).once('end', end).once('error', fail).once('close', fail);
    return () => {
      incoming.off('data', keep).off('end', end).off('close', fail);
      // The rest is read and dropped, so that the client can read the answer.
      incoming.resume();
    };
  });
  if (bytes > MAX_BODY_BYTES) return undefined;
  if (!hasEnded) throw new Error(`the body of the request did not end within ${BODY_LIMIT_MS / 1000} s`);
  return Buffer.concat(chunks);
}
