import { setImmediate } from 'node:timers/promises';

const SLICE_MS = 5;
const PIECE_CHARACTERS = 65_536;

/** Encodes a text that is created piece by piece, and yields to the event loop every 5 ms. */
export async function slicedText(pieces: Iterable<string>): Promise<Buffer> {
  const encoded: Buffer[] = [];
  let text = '';
  let sliceEndsAtMs = performance.now() + SLICE_MS;
  for (const piece of pieces) {
    text += piece;
    if (text.length < PIECE_CHARACTERS) continue;
    encoded.push(Buffer.from(text));
    text = '';
    if (performance.now() < sliceEndsAtMs) continue;
    await setImmediate();
    sliceEndsAtMs = performance.now() + SLICE_MS;
  }
  encoded.push(Buffer.from(text));
  return Buffer.concat(encoded);
}
