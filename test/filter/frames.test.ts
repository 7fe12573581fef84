import fc from 'fast-check';
import { expect, it } from 'vitest';
import { encodeFrame, FrameReader } from '../../src/filter/frames.ts';

it('frames arrive as they were sent, however their bytes are cut', () => {
  const frames = fc.array(fc.record({ header: fc.dictionary(fc.string(), fc.integer()), body: fc.uint8Array() }));
  fc.assert(
    fc.property(frames, fc.integer({ min: 1, max: 20 }), (sent, size) => {
      const bytes = Buffer.concat(sent.flatMap(encodeFrame));
      const reader = new FrameReader(1_000_000);
      const received = [];
      for (let at = 0; at < bytes.length; at += size) received.push(...reader.push(bytes.subarray(at, at + size)));
      expect(received.map(({ header, body }) => ({ header, body: [...body] }))).toEqual(
        sent.map(({ header, body }) => ({ header: { ...header }, body: [...body] })),
      );
    }),
  );
});

it('a frame of more than its limit is refused before its bytes are there', () => {
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32BE(2, 0);
  lengths.writeUInt32BE(1000, 4);

  expect(() => new FrameReader(1000).push(lengths)).toThrow('a frame of 1010 bytes, expected at most 1000');
});
