import type { IncomingMessage } from 'node:http';

/** As the API server has it. */
export const MAX_BODY_BYTES = 3 * 1024 * 1024;

/** The body of a request, or undefined where it is larger than any object may be; the rest of it is then not kept. */
export async function readRequestBody(incoming: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const { promise, resolve, reject } = Promise.withResolvers<Buffer | undefined>();
  const keep = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) resolve(undefined);
    else chunks.push(chunk);
  };
  const end = (): void => resolve(Buffer.concat(chunks));
  const fail = (): void => reject(new Error('the request ended in the middle of its body'));
  incoming.on('data', keep).once('end', end).once('error', fail).once('close', fail);
  try {
    return await promise;
  } finally {
    incoming.off('data', keep).off('end', end).off('close', fail);
    // What still comes is read and dropped, so that the client gets to see the answer.
    incoming.resume();
  }
}
