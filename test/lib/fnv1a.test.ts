import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { fnv1a } from '../../src/lib/fnv1a.ts';

const hexOf = (text: string): string => {
  const { high, low } = fnv1a(Buffer.from(text));
  return [high, low].map((half) => half.toString(16).padStart(8, '0')).join('');
};

function naive(bytes: Uint8Array): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of bytes) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) % 2n ** 64n;
  return hash;
}

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
