import { jsonText, numberText } from './json-text.ts';
import { describe } from './native.ts';
import { raise } from './signals.ts';
import { isArray, type JsonValue } from './value.ts';

export type Format = (value: JsonValue) => string;

/** The formats, by name with the `@`. */
export const FORMATS: Readonly<Record<string, Format>> = {
  '@text': textOf,
  '@json': (value) => jsonText(value),
  '@html': (value) => textOf(value).replace(/[<>&'"]/g, (char) => HTML_ESCAPES[char] ?? char),
  '@uri': (value) => encodeUri(textOf(value)),
  '@urid': (value) => decodeUri(value),
  '@csv': (value) => rowOf(value, 'csv').map(csvCell).join(','),
  '@tsv': (value) => rowOf(value, 'tsv').map(tsvCell).join('\t'),
  '@sh': (value) => (isArray(value) ? value : [value]).map(shellWord).join(' '),
  '@base64': (value) => Buffer.from(textOf(value)).toString('base64'),
  '@base64d': (value) => decodeBase64(value),
  '@base32': (value) => encodeBase32(Buffer.from(textOf(value))),
  '@base32d': (value) => decodeBase32(value),
};

/** What `tostring` and interpolation make of a value: strings stay, the rest is JSON. */
export function textOf(value: JsonValue): string {
  return typeof value === 'string' ? value : jsonText(value);
}

const HTML_ESCAPES: Readonly<Record<string, string>> = {
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
  "'": '&#39;',
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
    return decodeURIComponent(textOf(value));
  } catch {
    return raise(`${describe(value)} is not a valid uri encoding`);
  }
}

function rowOf(value: JsonValue, format: string): readonly JsonValue[] {
  return isArray(value) ? value : raise(`${describe(value)} cannot be ${format}-formatted, only an array can be`);
}

function csvCell(value: JsonValue): string {
  if (typeof value === 'string') return `"${value.replaceAll('"', '""')}"`;
  return plainCell(value, 'is not valid in a csv row');
}

function tsvCell(value: JsonValue): string {
  if (typeof value === 'string') return value.replace(/[\t\n\r\\]/g, (char) => TSV_ESCAPES[char] ?? char);
  return plainCell(value, 'is not valid in a csv row');
}

function plainCell(value: JsonValue, otherwise: string): string {
  if (value === null) return '';
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'number') return raise(`${describe(value)} ${otherwise}`);
  return Number.isNaN(value) ? '' : numberText(value);
}

function shellWord(value: JsonValue): string {
  if (typeof value === 'string') return `'${value.replaceAll("'", String.raw`'\''`)}'`;
  if (typeof value === 'object' && value !== null) raise(`${describe(value)} can not be escaped for shell`);
  return jsonText(value);
}

function decodeBase64(value: JsonValue): string {
  const text = textOf(value);
  const isValid = /^[A-Za-z0-9+/]*={0,2}$/.test(text) && text.replace(/=+$/, '').length % 4 !== 1;
  if (!isValid) raise(`${describe(value)} is not valid base64 data`);
  return Buffer.from(text, 'base64').toString();
}

const BASE32_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

function encodeBase32(bytes: Buffer): string {
  let bits = '';
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0');
  const digits = bits.match(/.{1,5}/g) ?? [];
  const text = digits.map((group) => BASE32_ALPHABET[Number.parseInt(group.padEnd(5, '0'), 2)] ?? '').join('');
  return text.padEnd(Math.ceil(text.length / 8) * 8, '=');
}

function decodeBase32(value: JsonValue): string {
  const text = textOf(value);
  if (!/^[A-Z2-7]*=*$/.test(text)) raise(`${describe(value)} is not valid base32 data`);
  let bits = '';
  for (const char of text.replace(/=+$/, '')) bits += BASE32_ALPHABET.indexOf(char).toString(2).padStart(5, '0');
  const bytes = bits.match(/.{8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2))).toString();
}
