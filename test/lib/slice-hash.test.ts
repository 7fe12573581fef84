import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { SLICES, sliceOfBytes, sliceOfText, type SliceHash } from '../../src/lib/slice-hash.ts';

const WHOLE = 2n ** 64n;

function plain(bytes: Uint8Array): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of bytes) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) % WHOLE;
  return hash;
}

/** The 64-bit finalizer of MurmurHash3, as its author wrote it down. */
function mixed(bytes: Uint8Array): bigint {
  let hash = plain(bytes);
  hash = ((hash ^ (hash >> 33n)) * 0xff51afd7ed558ccdn) % WHOLE;
  hash = ((hash ^ (hash >> 33n)) * 0xc4ceb9fe1a85ec53n) % WHOLE;
  return hash ^ (hash >> 33n);
}

const NAIVE: Readonly<Record<SliceHash, (bytes: Uint8Array) => bigint>> = { fnv1a: plain, mixed };
const HASHES = ['fnv1a', 'mixed'] as const;

const TEXT = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }), fc.uuid(), fc.string());

/** How many of 1000 names that differ only at their ends are in each slice. */
function spread(hash: SliceHash): readonly number[] {
  const counts = Array.from({ length: SLICES }, () => 0);
  for (let index = 0; index < 1000; index++) {
    const slice = sliceOfText(hash, `team-${index}`);
    counts[slice] = (counts[slice] ?? 0) + 1;
  }
  return counts;
}

describe('the slice of a text', () => {
  it.each(HASHES)('is the top 6 bits of the hash of its UTF-8, by %s, wherever that stands', (hash) => {
    fc.assert(
      fc.property(TEXT, fc.uint8Array(), fc.uint8Array(), (text, before, after) => {
        const bytes = Buffer.from(text);
        const slice = Number(NAIVE[hash](bytes) >> 58n);
        const all = Buffer.concat([before, bytes, after]);
        expect(sliceOfText(hash, text)).toBe(slice);
        expect(sliceOfBytes(hash, all, before.length, before.length + bytes.length)).toBe(slice);
      }),
      { numRuns: 2000 },
    );
  });

  it('by the mixed hash is each of 64 for the names team-0 to team-999, and none has more than 3 times its share', () => {
    const counts = spread('mixed');

    expect(counts).toHaveLength(64);
    expect(Math.min(...counts)).toBeGreaterThan(0);
    expect(Math.max(...counts)).toBeLessThanOrEqual((3 * 1000) / 64);
  });

  it('by the hash of API servers leaves slices empty for such names, which is why it is not the default', () => {
    expect(spread('fnv1a')).toContain(0);
  });
});
