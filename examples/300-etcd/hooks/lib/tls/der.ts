import { isIPv4 } from 'node:net';

/** The few forms of DER that a certificate has. */
export function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

export function setOf(...parts: readonly Buffer[]): Buffer {
  return der(0x31, Buffer.concat(parts));
}

/** A value with its tag and its length, which is below 65,536. */
export function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  if (length < 128) return Buffer.concat([Buffer.of(tag, length), content]);
  const header = length < 256 ? [tag, 0x81, length] : [tag, 0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from(header), content]);
}

/** The values inside of one. */
export function partsOf(value: Buffer): readonly Buffer[] {
  const parts: Buffer[] = [];
  for (let rest = value.subarray(headerOf(value)); rest.length > 0; rest = rest.subarray(parts.at(-1)?.length)) {
    parts.push(rest.subarray(0, Math.max(2, headerOf(rest) + lengthOf(rest))));
  }
  return parts;
}

function headerOf([, first = 0]: Buffer): number {
  return first < 128 ? 2 : 2 + (first & 127);
}

function lengthOf(value: Buffer): number {
  const [, first = 0] = value;
  return first < 128 ? first : value.subarray(2, headerOf(value)).reduce((sum, byte) => sum * 256 + byte, 0);
}

/** An identifier whose numbers after the second are below 16,384, such as `2.5.29.17`. */
export function identifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = rest.flatMap((number) => (number < 128 ? [number] : [(number >> 7) | 128, number & 127]));
  return der(0x06, Buffer.from([40 * first + second, ...bytes]));
}

export function integer(bytes: Buffer): Buffer {
  return der(0x02, bytes);
}

export function bitString(content: Buffer, unusedBits = 0): Buffer {
  return der(0x03, Buffer.concat([Buffer.of(unusedBits), content]));
}

export function octetString(content: Buffer): Buffer {
  return der(0x04, content);
}

export const TRUE = Buffer.from('0101ff', 'hex');

/** To the second; until 2049 in the shorter form, as RFC 5280 says. */
export function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replaceAll(/[-:T]/g, '').slice(0, 14);
  return digits < '2050' ? der(0x17, Buffer.from(`${digits.slice(2)}Z`)) : der(0x18, Buffer.from(`${digits}Z`));
}

/** The 4 or 16 bytes of an address. */
export function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  // The shortest form, without an address of IPv4 at its end.
  const { hostname } = new URL(`http://[${address}]`);
  const [front = '', back] = hostname.slice(1, -1).split('::');
  const groups = (text: string): readonly string[] => (text === '' ? [] : text.split(':'));
  const [head, tail] = [groups(front), groups(back ?? '')];
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return Buffer.from([...head, ...zeros, ...tail].map((group) => group.padStart(4, '0')).join(''), 'hex');
}
