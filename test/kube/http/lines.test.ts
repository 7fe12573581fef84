import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { LineSplitter, LineTooLongError } from '../../../src/kube/http/lines.ts';

function split(chunks: readonly Uint8Array[], maxBytes?: number): { lines: string[]; rest: string } {
  const splitter = new LineSplitter({ maxBytes });
  const lines = chunks.flatMap((chunk) => [...splitter.push(chunk)]);
  return {
    lines: lines.map((line) => Buffer.from(line).toString('utf8')),
    rest: Buffer.from(splitter.rest()).toString('utf8'),
  };
}

const TEXT = Buffer.from('{"a":"é"}\n{"b":"日本"}\r\n\n{"c":"😀"}\nrest');

describe('LineSplitter', () => {
  it('finds the same lines wherever the stream is cut in two', () => {
    for (let at = 0; at <= TEXT.length; at++) {
      const { lines, rest } = split([TEXT.subarray(0, at), TEXT.subarray(at)]);

      expect({ at, lines, rest }).toEqual({ at, lines: ['{"a":"é"}', '{"b":"日本"}\r', '{"c":"😀"}'], rest: 'rest' });
    }
  });

  it('leaves out the lines that are dropped, wherever the stream is cut in two', () => {
    for (let at = 0; at <= TEXT.length; at++) {
      const seen: string[] = [];
      const isDropped = (line: Uint8Array): boolean => {
        seen.push(Buffer.from(line).toString('utf8'));
        return line.includes(0x62);
      };
      const splitter = new LineSplitter({ isDropped });
      const lines = [TEXT.subarray(0, at), TEXT.subarray(at)].flatMap((chunk) => [...splitter.push(chunk)]);

      expect(lines.map((line) => Buffer.from(line).toString('utf8'))).toEqual(['{"a":"é"}', '{"c":"😀"}']);
      expect(seen).toEqual(['{"a":"é"}', '{"b":"日本"}\r', '{"c":"😀"}']);
    }
  });

  it('finds the same lines when every byte comes alone', () => {
    const bytes = [...TEXT].map((byte) => Uint8Array.of(byte));

    expect(split(bytes)).toEqual(split([TEXT]));
  });

  it('finds the same lines whatever the pieces', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.array(fc.nat({ max: 7 })), (lines, sizes) => {
        const clean = lines.map((line) => line.replaceAll('\n', '')).filter((line) => line !== '');
        const bytes = Buffer.from(clean.map((line) => `${line}\n`).join(''));
        const chunks: Uint8Array[] = [];
        let at = 0;
        for (const size of sizes) chunks.push(bytes.subarray(at, (at += size)));
        chunks.push(bytes.subarray(at));

        expect(split(chunks)).toEqual({ lines: clean.map((line) => Buffer.from(line).toString('utf8')), rest: '' });
      }),
    );
  });

  it('gives lines that stay as they are when the chunk is written over, and that hold nothing else', () => {
    const chunk = Buffer.from('one\ntwo\n');
    const [one] = [...new LineSplitter().push(chunk)];
    chunk.fill(0);

    expect(Buffer.from(one ?? []).toString()).toBe('one');
    expect(one?.buffer.byteLength).toBe(3);
  });

  it('refuses a line that is longer than the limit, in one piece or in many', () => {
    const long = Buffer.from('0123456789');

    expect(split([long], 10).rest).toBe('0123456789');
    expect(() => split([long, long], 10)).toThrow(LineTooLongError);
    expect(() => split([Buffer.from('01234567890\n')], 10)).toThrow(LineTooLongError);
  });
});
