/** A 64-bit hash in two unsigned halves of 32 bits. */
export interface Hash64 {
  readonly high: number;
  readonly low: number;
}

/**
 * The 64-bit FNV-1a hash of a part of `bytes`. The prime is 2^40 + 435, so a step multiplies by 435 in limbs of 16 bits,
 * which keeps every product exact in 32 bits, and adds the low half to the high one, shifted by 40 - 32 bits.
 */
export function fnv1a(bytes: Uint8Array, start = 0, end = bytes.length): Hash64 {
  let high = 0xcbf29ce4 | 0;
  let low = 0x84222325 | 0;
  for (let at = start; at < end; at++) {
    low ^= bytes[at] ?? 0;
    const first = (low & 0xffff) * 435;
    const second = (low >>> 16) * 435 + (first >>> 16);
    high = (Math.imul(high, 435) + (second >>> 16) + (low << 8)) | 0;
    low = (second << 16) | (first & 0xffff);
  }
  return { high: high >>> 0, low: low >>> 0 };
}
