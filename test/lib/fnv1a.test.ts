import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { fnv1a, SLICES, sliceOfBytes, sliceOfText } from '../../src/lib/fnv1a.ts';

const hexOf = (text: string): string => {
  const { high, low } = fnv1a(Buffer.from(text));
  return [high, low].map((half) => half.toString(16).padStart(8, '0')).join('');
};

function naive(bytes: Uint8Array): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of bytes) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) % 2n ** 64n;
  return hash;
}

const TEXT = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }), fc.uuid(), fc.string());

describe('the 64-bit FNV-1a hash', () => {
  it.each([
    ['', 'cbf29ce484222325'],
    ['a', 'af63dc4c8601ec8c'],
    ['foobar', '85944171f73967e8'],
    ['chongo was here!\n', '46810940eff5f915'],
  ])('of %j is the one that its authors publish, %s', (text, hash) => {
    expect(hexOf(text)).toBe(hash);
  });

  it('of any bytes is that of whole numbers of 64 bits', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        const { high, low } = fnv1a(bytes);
        expect((BigInt(high) << 32n) | BigInt(low)).toBe(naive(bytes));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('the slice of a text', () => {
  it('is the top 6 bits of the hash of its UTF-8, wherever that stands', () => {
    fc.assert(
      fc.property(TEXT, fc.uint8Array(), fc.uint8Array(), (text, before, after) => {
        const bytes = Buffer.from(text);
        const slice = Number(naive(bytes) >> 58n);
        const all = Buffer.concat([before, bytes, after]);
        expect(sliceOfText(text)).toBe(slice);
        expect(sliceOfBytes(all, before.length, before.length + bytes.length)).toBe(slice);
      }),
      { numRuns: 2000 },
    );
  });

  it('is one of 64, and each of them is of some text', () => {
    const found = new Set(Array.from({ length: 2000 }, (_, index) => sliceOfText(`${index} team`)));

    expect([...found].toSorted((left, right) => left - right)).toEqual([...Array(SLICES).keys()]);
  });
});
