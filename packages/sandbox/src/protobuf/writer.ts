/** Encodes a message in protobuf from its encoded fields; undefined ones are left out. */
export function messageBytes(fields: readonly (Buffer | undefined)[]): Buffer {
  return Buffer.concat(fields.filter((field) => field !== undefined));
}

/** Encodes a field with bytes, a string or a message as its value; undefined if there is no value. */
export function bytesField(number: number, value: Buffer | string | undefined): Buffer | undefined {
  if (value === undefined) return undefined;
  const bytes = Buffer.from(value);
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 0x7f) {
    bytes.push((rest & 0x7f) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  return Buffer.from([...bytes, rest]);
}
