/*
 * The secret values that are known, in every form in which a hook is likely to write them: as text, in base64 of both
 * alphabets, with and without padding or line breaks, escaped for JSON or a URL, line by line. `replace` finds them in a
 * text in one pass, however many there are: at each place it looks at six characters, which is the length of the
 * shortest form that is looked for.
 */

import { newlinesAtEnd, type Marks } from './marks.ts';

/** A shorter value is masked in its place alone: texts would be full of it by chance. */
const MIN_CHARS = 6;
/** Ends a text that was cut, such as a long line. */
const CUT = '…';
/** Nothing that is cut is longer. */
const MAX_CUT_CHARS = 4096;
const MIN_LINE_CHARS = 8;
const BASE64_LINE = 76;
const BLOOM_BITS = 1 << 18;
const FACTOR = 31;
const OUT_FACTOR = 887_503_681; // 31 ** 6 modulo 2 ** 32
/** More than these are no longer kept; the run is not recorded. */
const MAX_FORMS = 200_000;
/** Each is looked at wherever a text has the six characters that they begin with, as tokens have. */
const MAX_SAME_HEAD = 2000;
const MAX_FORM_CHARS = 32 * 1024 * 1024;
const BASE64_TOKEN = /[A-Za-z0-9+/_-]{12,}={0,2}/g;
const MAX_LEAVES = 1000;

/** The forms of the values take more room than there is. */
export class TooManyValuesError extends Error {
  override readonly name = 'TooManyValuesError';
}

/** See above. */
export class KnownValues {
  readonly #marks: Marks;
  readonly #values = new Set<string>();
  readonly #replacements = new Map<string, string>();
  /** The forms that begin with the same six characters, the longest first. */
  readonly #byHead = new Map<string, string[]>();
  readonly #bloom = new Uint8Array(BLOOM_BITS / 8);
  #chars = 0;

  constructor(marks: Marks) {
    this.#marks = marks;
  }

  /** The room that the forms take. */
  get chars(): number {
    return this.#chars;
  }

  /** Makes the value, given as its bytes, known; throws `TooManyValuesError`. */
  learn(bytes: Uint8Array): void {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const id = text.toString('latin1');
    if (this.#values.has(id)) return;
    this.#values.add(id);
    const mark = this.#marks.of(text);
    const end = newlinesAtEnd(text);
    const trimmed = text.subarray(0, text.length - end.length);
    const decoded = trimmed.toString();
    const isText = Buffer.from(decoded).equals(trimmed);
    if ((isText ? decoded.length : text.length) < MIN_CHARS) return;
    this.#addBase64(text, `${mark}${end}`);
    this.#addBase64(trimmed, mark);
    if (!isText) return;
    this.#addText(decoded, mark);
    this.#learnParts(decoded);
  }

  /** The text with each known value replaced. */
  replace(text: string): string {
    return this.#replaceForms(this.#replaceEncoded(text));
  }

  #addText(text: string, mark: string): void {
    for (const form of [text, JSON.stringify(text).slice(1, -1), percentEncoded(text)]) this.#add(form, mark);
  }

  #addBase64(bytes: Buffer, masked: string): void {
    const replacement = Buffer.from(masked).toString('base64');
    const plain = bytes.toString('base64');
    for (const form of [plain, plain.replace(/=+$/, '')]) {
      this.#add(form, replacement);
      this.#add(form.replaceAll('+', '-').replaceAll('/', '_'), replacement);
    }
    for (let at = 0; plain.length > BASE64_LINE && at < plain.length; at += BASE64_LINE) {
      const line = plain.slice(at, at + BASE64_LINE);
      if (line.length >= MIN_LINE_CHARS) this.#add(line, this.#marks.of(line));
    }
  }

  /** The lines of a value, since programs print it line by line, and the texts in one that is JSON. */
  #learnParts(text: string): void {
    const lines = text.includes('\n') ? text.split(/\r?\n/) : [];
    for (const line of lines)
      if (line.trim().length >= MIN_LINE_CHARS) this.#addText(line.trim(), this.#marks.of(line.trim()));
    for (const leaf of leavesOf(text)) if (leaf.length >= MIN_CHARS) this.learn(Buffer.from(leaf));
  }

  #add(form: string, replacement: string): void {
    if (form.length < MIN_CHARS || this.#replacements.has(form)) return;
    this.#chars += form.length;
    const head = form.slice(0, MIN_CHARS);
    const same = this.#byHead.get(head) ?? [];
    const isFull = this.#chars > MAX_FORM_CHARS || this.#replacements.size >= MAX_FORMS;
    if (isFull || same.length >= MAX_SAME_HEAD) {
      throw new TooManyValuesError('it was given more values of Secrets than can be masked');
    }
    this.#replacements.set(form, replacement);
    const place = same.findIndex((one) => one.length < form.length);
    same.splice(place === -1 ? same.length : place, 0, form);
    this.#byHead.set(head, same);
    const hash = hashOf(head) & (BLOOM_BITS - 1);
    this.#bloom[hash >> 3] = (this.#bloom[hash >> 3] ?? 0) | (1 << (hash & 7));
  }

  #replaceForms(text: string): string {
    if (this.#byHead.size === 0 || text.length < MIN_CHARS) return text;
    let hash = hashOf(text.slice(0, MIN_CHARS));
    let done = 0;
    let result = '';
    for (let at = 0; ; at += 1) {
      const found = at >= done && this.#mayBegin(hash) ? this.#formAt(text, at) : undefined;
      if (found !== undefined) {
        result += text.slice(done, at) + (this.#replacements.get(found.form) ?? '');
        done = at + found.length;
      }
      const next = at + MIN_CHARS;
      if (next >= text.length) return done === 0 ? text : result + text.slice(done);
      hash = (Math.imul(hash, FACTOR) + text.charCodeAt(next) - Math.imul(text.charCodeAt(at), OUT_FACTOR)) | 0;
    }
  }

  #mayBegin(hash: number): boolean {
    const bit = hash & (BLOOM_BITS - 1);
    return ((this.#bloom[bit >> 3] ?? 0) & (1 << (bit & 7))) !== 0;
  }

  /** The form that begins there, and how much of it is there: all, or what is left of it before a text was cut. */
  #formAt(text: string, at: number): { readonly form: string; readonly length: number } | undefined {
    const forms = this.#byHead.get(text.slice(at, at + MIN_CHARS)) ?? [];
    const whole = forms.find((form) => text.startsWith(form, at));
    if (whole !== undefined) return { form: whole, length: whole.length };
    const [longest] = forms;
    if (longest === undefined) return undefined;
    const rest = text.slice(at, at + Math.min(longest.length, MAX_CUT_CHARS));
    const length = rest.indexOf(CUT);
    const form = length === -1 ? undefined : forms.find((one) => one.startsWith(rest.slice(0, length)));
    return form === undefined ? undefined : { form, length };
  }

  /** Replaces values within what is base64, such as that of `user:password`. */
  #replaceEncoded(text: string): string {
    if (this.#byHead.size === 0 || text.length < 12) return text;
    return text.replaceAll(BASE64_TOKEN, (token) => {
      if (this.#replacements.has(token)) return token;
      const decoded = Buffer.from(token, 'base64').toString();
      const masked = this.#replaceForms(decoded);
      return masked === decoded ? token : Buffer.from(masked).toString('base64');
    });
  }
}

function hashOf(head: string): number {
  let hash = 0;
  for (let at = 0; at < MIN_CHARS; at += 1) hash = (Math.imul(hash, FACTOR) + head.charCodeAt(at)) | 0;
  return hash;
}

/** The text itself where it has half a character. */
function percentEncoded(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    return text;
  }
}

function leavesOf(text: string): readonly string[] {
  if (!/^\s*[[{]/.test(text)) return [];
  const leaves: string[] = [];
  try {
    JSON.parse(text, (_key, value: unknown) => {
      if (typeof value === 'string' && leaves.length < MAX_LEAVES) leaves.push(value);
      return value;
    });
  } catch {
    return [];
  }
  return leaves;
}
