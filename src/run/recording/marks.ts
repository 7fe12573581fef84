import { createHmac } from 'node:crypto';

/** What a mark begins with. */
const HEAD = 'masked-';
const DIGITS = 17;

/** Finds marks in a text. */
export const MARK = /masked-[0-9a-f]{17}/g;

/**
 * Makes the marks that replace secret values. Equal values have equal marks under one key, and without the key nobody can
 * tell whether a guess is right. A mark is 24 characters, so that its base64 needs no padding, and a valid name in
 * Kubernetes.
 */
export class Marks {
  readonly #key: Uint8Array;

  constructor(key: Uint8Array) {
    this.#key = key;
  }

  /** The mark of a value; newlines at its end make no difference, as `$(…)` of a shell drops them. */
  of(value: string | Uint8Array): string {
    const text = typeof value === 'string' ? Buffer.from(value) : value;
    const end = text.length - newlinesAtEnd(text).length;
    const digest = createHmac('sha256', this.#key).update(text.subarray(0, end)).digest('hex');
    return `${HEAD}${digest.slice(0, DIGITS)}`;
  }
}

/** The carriage returns and line feeds that a value ends with, text or not; they follow its mark where it has one. */
export function newlinesAtEnd(bytes: Uint8Array): string {
  const isNewline = (byte: number): boolean => byte === 10 || byte === 13;
  return Buffer.from(bytes.subarray(bytes.findLastIndex((byte) => !isNewline(byte)) + 1)).toString();
}
