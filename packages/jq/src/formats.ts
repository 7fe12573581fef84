import { jsonText, numberText } from './json-text.ts';
import { meter } from './meter.ts';
import { describe } from './native.ts';
import { literalText } from './number-literal.ts';
import { raise } from './signals.ts';
import { isArray, type JsonValue } from './value.ts';

/** Turns a value into text. */
export type Format = (value: JsonValue) => string;

/** The functions of the formats, by name with the `@`. */
export const FORMATS: Readonly<Record<string, Format>> = {
  '@text': textOf,
  '@json': (value) => jsonText(value),
  '@html': (value) => scanned(value).replace(/[<>&'"]/g, (char) => HTML_ESCAPES[char] ?? char),
  '@uri': (value) => encodeUri(scanned(value)),
  '@urid': (value) => decodeUri(value),
  '@csv': (value) => rowOf(value, 'csv').map(csvCell).join(','),
  '@tsv': (value) => rowOf(value, 'tsv').map(tsvCell).join('\t'),
  '@sh': (value) => (isArray(value) ? value : [value]).map(shellWord).join(' '),
  '@base64': (value) => Buffer.from(scanned(value)).toString('base64'),
  '@base64d': (value) => decodeBase64(value),
  '@base32': (value) => encodeBase32(Buffer.from(scanned(value))),
  '@base32d': (value) => decodeBase32(value),
};

/** The text of a value as `tostring` and interpolation write it: a string as it is, anything else as JSON. */
export function textOf(value: JsonValue): string {
  if (typeof value !== 'string') return jsonText(value);
  meter().spend(value.length >>> 4);
  return value;
}

/** Returns the text of a value and counts the work of going through it character by character. */
function scanned(value: JsonValue): string {
  const text = textOf(value);
  meter().spend(text.length >>> 2);
  return text;
}

const HTML_ESCAPES: Readonly<Record<string, string>> = {
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
  "'": '&apos;',
  '"': '&quot;',
};

const TSV_ESCAPES: Readonly<Record<string, string>> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '\\': '\\\\' };

function encodeUri(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function decodeUri(value: JsonValue): string {
  try {
    return decodeURIComponent(scanned(value));
  } catch {
    return raise(`${describe(value)} is not a valid uri encoding`);
  }
}

function rowOf(value: JsonValue, format: string): readonly JsonValue[] {
  return isArray(value) ? value : raise(`${describe(value)} cannot be ${format}-formatted, only array`);
}

function csvCell(value: JsonValue): string {
  meter().tick();
  if (typeof value === 'string') return `"${scanned(value).replaceAll('"', '""')}"`;
  return plainCell(value, 'is not valid in a csv row');
}

function tsvCell(value: JsonValue): string {
  meter().tick();
  if (typeof value === 'string') return scanned(value).replace(/[\t\n\r\\]/g, (char) => TSV_ESCAPES[char] ?? char);
  return plainCell(value, 'is not valid in a csv row');
}

function plainCell(value: JsonValue, otherwise: string): string {
  if (value === null) return '';
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'symbol') return literalText(value);
  if (typeof value !== 'number') return raise(`${describe(value)} ${otherwise}`);
  return Number.isNaN(value) ? '' : numberText(value);
}

function shellWord(value: JsonValue): string {
  meter().tick();
  if (typeof value === 'string') return `'${scanned(value).replaceAll("'", String.raw`'\''`)}'`;
  if (typeof value === 'object' && value !== null) raise(`${describe(value)} can not be escaped for shell`);
  return jsonText(value);
}

function decodeBase64(value: JsonValue): string {
  const text = scanned(value);
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) raise(`${describe(value)} is not valid base64 data`);
  if (text.replace(/=+$/, '').length % 4 === 1) raise(`${describe(value)} trailing base64 byte found`);
  return Buffer.from(text, 'base64').toString();
}

const BASE32_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Five bits per digit; leftover bits are carried over to the next byte. */
function encodeBase32(bytes: Buffer): string {
  let text = '';
  let bits = 0;
  let count = 0;
  for (const byte of bytes) {
    meter().tick();
    bits = (bits << 8) | byte;
    for (count += 8; count >= 5; count -= 5) text += BASE32_ALPHABET[(bits >>> (count - 5)) & 31] ?? '';
    bits &= 31;
  }
  if (count > 0) text += BASE32_ALPHABET[(bits << (5 - count)) & 31] ?? '';
  return text.padEnd(Math.ceil(text.length / 8) * 8, '=');
}

function decodeBase32(value: JsonValue): string {
  const text = scanned(value);
  if (!/^[A-Z2-7]*=*$/.test(text)) raise(`${describe(value)} is not valid base32 data`);
  const digits = text.replace(/=+$/, '');
  const bytes = Buffer.alloc(Math.floor((digits.length * 5) / 8));
  let bits = 0;
  let count = 0;
  let at = 0;
  for (const digit of digits) {
    meter().tick();
    bits = (bits << 5) | BASE32_ALPHABET.indexOf(digit);
    count += 5;
    if (count < 8) continue;
    count -= 8;
    bytes[at] = (bits >>> count) & 255;
    bits &= 255;
    at += 1;
  }
  return bytes.toString();
}
