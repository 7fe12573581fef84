import { halved, type Segment, type StageWatcher } from './stages.ts';

const HEAD_END = '\r\n\r\n';
/** The end of a chunked body: what a watch receives from a server that shuts down. */
const LAST_CHUNK = Buffer.from('0\r\n\r\n');

/**
 * Detects the stages of an HTTP/1.1 connection by its requests, which have no body, and by the responses in between.
 */
export function watchHttp1(): StageWatcher {
  let request: Buffer = Buffer.alloc(0);
  let response: Buffer | 'body' = Buffer.alloc(0);

  return {
    up(chunk) {
      const isFirst = request.length === 0;
      request = Buffer.concat([request, chunk]);
      const isWhole = request.includes(HEAD_END);
      if (isWhole) {
        request = Buffer.alloc(0);
        response = Buffer.alloc(0);
      }
      const whole: Segment = isWhole ? { bytes: chunk, reaches: 'requestSent' } : { bytes: chunk };
      // No part of the request has been passed to the server yet.
      return isFirst ? [{ bytes: Buffer.alloc(0), reaches: 'afterSettings' }, whole] : [whole];
    },
    down(chunk) {
      if (response === 'body') return halved(chunk, Math.floor(chunk.length / 2));
      response = Buffer.concat([response, chunk]);
      const end = response.indexOf(HEAD_END);
      if (end === -1) return [{ bytes: chunk }];
      const headLength = chunk.length - (response.length - (end + HEAD_END.length));
      response = 'body';
      const head: Segment = { bytes: chunk.subarray(0, headLength), reaches: 'headers' };
      const body = chunk.subarray(headLength);
      return body.length === 0 ? [head] : [head, ...halved(body, Math.floor(body.length / 2))];
    },
    isIdle: () => response === 'body',
    farewell: () => LAST_CHUNK,
  };
}
