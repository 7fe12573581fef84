import { describe, expect, it } from 'vitest';
import { watchHttp1 } from '../support/stages/http1-watcher.ts';
import { watchHttp2 } from '../support/stages/http2-watcher.ts';
import type { Segment, Stage } from '../support/stages/stages.ts';

/** The number of bytes that had passed when each stage was reached. */
function reached(segments: readonly Segment[]): readonly (readonly [Stage, number])[] {
  let passed = 0;
  return segments.flatMap(({ bytes, reaches }) => {
    passed += bytes.length;
    return reaches === undefined ? [] : [[reaches, passed] as const];
  });
}

function frame(type: number, streamId: number, length: number, flags = 0): Buffer {
  const bytes = Buffer.alloc(9 + length);
  bytes.writeUIntBE(length, 0, 3);
  bytes.writeUInt8(type, 3);
  bytes.writeUInt8(flags, 4);
  bytes.writeUInt32BE(streamId, 5);
  return bytes;
}

describe('the stages of an HTTP/2 connection', () => {
  it('are found wherever the bytes are cut', () => {
    const up = Buffer.concat([Buffer.alloc(24), frame(4, 0, 6), frame(1, 1, 30)]);
    const down = Buffer.concat([frame(4, 0, 6), frame(4, 0, 0, 1), frame(1, 1, 20), frame(0, 1, 100)]);
    for (const size of [1, 7, 1000]) {
      const watcher = watchHttp2();
      const pieces = (bytes: Buffer, from: number): readonly Buffer[] =>
        Array.from({ length: Math.ceil((bytes.length - from) / size) }, (_, index) =>
          bytes.subarray(from + index * size, from + (index + 1) * size),
        );

      const sent = [up.subarray(0, 24), ...pieces(up, 24)].flatMap((chunk) => watcher.up(chunk));
      const received = pieces(down, 0).flatMap((chunk) => watcher.down(chunk));

      expect(reached(sent)).toEqual([['requestSent', up.length]]);
      expect(reached(received)).toEqual([
        ['afterSettings', 15],
        ['headers', 53],
        ['body', 112],
      ]);
      expect(Buffer.concat(received.map(({ bytes }) => bytes))).toEqual(down);
      expect(watcher.isIdle()).toBe(true);
    }
  });

  it('end with a GOAWAY that names the last request', () => {
    const watcher = watchHttp2();
    watcher.up(Buffer.concat([Buffer.alloc(24), frame(1, 5, 10)]));

    expect(watcher.farewell().toString('hex')).toBe('0000080700000000000000000500000000');
  });
});

describe('the stages of an HTTP/1.1 connection', () => {
  it('come anew with each request', () => {
    const watcher = watchHttp1();
    const request = Buffer.from('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
    const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';

    for (let count = 0; count < 2; count++) {
      expect(reached(watcher.up(request))).toEqual([
        ['afterSettings', 0],
        ['requestSent', request.length],
      ]);
      expect(reached(watcher.down(Buffer.from(head)))).toEqual([['headers', head.length]]);
      expect(reached(watcher.down(Buffer.from('2\r\nok\r\n')))).toEqual([['body', 3]]);
      expect(watcher.isIdle()).toBe(true);
    }
  });
});
