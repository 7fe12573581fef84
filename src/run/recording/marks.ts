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
    let end = text.length;
    while (end > 0 && (text[end - 1] === 10 || text[end - 1] === 13)) end -= 1;
    const digest = createHmac('sha256', this.#key).update(text.subarray(0, end)).digest('hex');
    return `${HEAD}${digest.slice(0, DIGITS)}`;
  }
}
