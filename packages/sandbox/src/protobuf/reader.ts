/** One field of a message in protobuf: its number, and its value as a number or as bytes. */
export type WireField =
  | { readonly number: number; readonly type: 'number'; readonly value: bigint; readonly double: number }
  | { readonly number: number; readonly type: 'bytes'; readonly bytes: Buffer };

/** Yields the fields of a message in protobuf, in order; throws if the bytes are not a valid message. */
export function* wireFields(bytes: Buffer): Generator<WireField> {
  const position = { at: 0 };
  while (position.at < bytes.length) {
    const key = Number(varint(bytes, position));
    yield wireField(bytes, position, key);
  }
}

interface Position {
  at: number;
}

function wireField(bytes: Buffer, position: Position, key: number): WireField {
  const number = key >> 3;
  switch (key & 7) {
    case 0:
      return { number, type: 'number', value: varint(bytes, position), double: 0 };
    case 1: {
      const piece = take(bytes, position, 8);
      return { number, type: 'number', value: piece.readBigInt64LE(), double: piece.readDoubleLE() };
    }
    case 2:
      return { number, type: 'bytes', bytes: take(bytes, position, Number(varint(bytes, position))) };
    case 5: {
      const piece = take(bytes, position, 4);
      return { number, type: 'number', value: BigInt(piece.readInt32LE()), double: piece.readFloatLE() };
    }
    default:
      throw new Error(`proto: illegal wireType ${key & 7}`);
  }
}

function take(bytes: Buffer, position: Position, length: number): Buffer {
  const end = position.at + length;
  if (end > bytes.length) throw new Error('unexpected EOF');
  const piece = bytes.subarray(position.at, end);
  position.at = end;
  return piece;
}

function varint(bytes: Buffer, position: Position): bigint {
  let value = 0n;
  for (let shift = 0n; shift < 70n; shift += 7n) {
    const byte = bytes[position.at];
    if (byte === undefined) throw new Error('unexpected EOF');
    position.at += 1;
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return BigInt.asIntN(64, value);
  }
  throw new Error('proto: integer overflow');
}
