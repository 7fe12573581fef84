import { fnv1a, type Hash64 } from './fnv1a.ts';

/**
 * Which hash of a text says its slice, by its top 6 bits: `fnv1a` is what API servers divide by (KEP-5866), and puts
 * texts that differ only at their ends into few slices; `mixed` spreads all texts, and only hooklet knows it.
 */
export type SliceHash = 'mixed' | 'fnv1a';

/** How many slices the space of a hash is divided into. */
export const SLICES = 64;

/** The slice of a text, by the hash of its UTF-8, from 0 to 63. */
export function sliceOfText(hash: SliceHash, text: string): number {
  // A character has at most three bytes for each of its units.
  if (text.length * 3 > SCRATCH.length) return sliceOfBytes(hash, Buffer.from(text));
  return sliceOfBytes(hash, SCRATCH, 0, SCRATCH.write(text));
}

/** Holds the UTF-8 of a short text while it is hashed, which is faster than a buffer for each. */
const SCRATCH = Buffer.alloc(768);

/** The slice of the text whose UTF-8 stands in `bytes` from `start` up to but not including `end`. */
export function sliceOfBytes(hash: SliceHash, bytes: Uint8Array, start = 0, end = bytes.length): number {
  const plain = fnv1a(bytes, start, end);
  return (hash === 'fnv1a' ? plain.high : mixedHigh(plain)) >>> 26;
}

/** The high half of what the 64-bit finalizer of MurmurHash3 makes of a hash; its last shift does not reach that half. */
function mixedHigh({ high, low }: Hash64): number {
  const first = low ^ (high >>> 1);
  const product = Math.imul(high, 0xed558ccd) + Math.imul(first, 0xff51afd7) + highOfProduct(first, 0xed558ccd);
  const second = Math.imul(first, 0xed558ccd) ^ ((product >>> 0) >>> 1);
  return (Math.imul(product, 0x1a85ec53) + Math.imul(second, 0xc4ceb9fe) + highOfProduct(second, 0x1a85ec53)) | 0;
}

/** The high half of the product of two halves; in limbs of 16 bits every sum is below 2^32. */
function highOfProduct(a: number, b: number): number {
  const [aLow, aHigh, bLow, bHigh] = [a & 0xffff, a >>> 16, b & 0xffff, b >>> 16];
  const middle = aHigh * bLow + ((aLow * bLow) >>> 16);
  const other = aLow * bHigh + (middle & 0xffff);
  return aHigh * bHigh + (middle >>> 16) + (other >>> 16);
}
