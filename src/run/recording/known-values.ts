/*
 * The secret values that are known, in every form in which a hook is likely to write them. `replace` finds them in what a
 * text stands for in one pass, however many there are: at each place it looks at six characters, which is the length of
 * the shortest form that is looked for.
 */

import { isUtf8 } from 'node:buffer';
import { formsOf, MIN_CHARS } from './forms-of.ts';
import type { Marks } from './marks.ts';
import { readingsOf } from './readings.ts';

/** Ends a text that was cut, such as a long line. */
const CUT = '…';
/** Nothing that is cut is longer. */
const MAX_CUT_CHARS = 4096;
const BLOOM_BITS = 1 << 18;
const FACTOR = 31;
const OUT_FACTOR = 887_503_681; // 31 ** 6 modulo 2 ** 32
/** More than these are no longer kept; the run is not recorded. */
const MAX_FORMS = 200_000;
/** Each is looked at wherever a text has the six characters that they begin with, as tokens have. */
const MAX_SAME_HEAD = 2000;
const MAX_FORM_CHARS = 32 * 1024 * 1024;
const BASE64_TOKEN = /[A-Za-z0-9+/_-]{12,}={0,2}/g;

interface Found {
  readonly form: string;
  /** Less than that of the form where the text was cut. */
  readonly length: number;
}

/** A part of a text, and what replaces it. */
interface Span {
  readonly start: number;
  readonly end: number;
  readonly by: string;
}

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
    const value = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const id = value.toString('latin1');
    if (this.#values.has(id)) return;
    this.#values.add(id);
    for (const [form, replacement] of formsOf(value, this.#marks)) this.#add(form, replacement);
  }

  /** The text with each known value replaced. */
  replace(text: string): string {
    if (this.#byHead.size === 0 || text.length < MIN_CHARS) return text;
    return this.#replaced(text, this.#encodedIn(text));
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

  #formsIn(text: string): readonly Span[] {
    const spans: Span[] = [];
    let hash = hashOf(text.slice(0, MIN_CHARS));
    let done = 0;
    for (let at = 0; at + MIN_CHARS <= text.length; at += 1) {
      const found = at >= done && this.#mayBegin(hash) ? this.#formAt(text, at) : undefined;
      if (found !== undefined) {
        done = at + found.length;
        spans.push({ start: at, end: done, by: this.#replacements.get(found.form) ?? '' });
      }
      const next = text.charCodeAt(at + MIN_CHARS);
      hash = (Math.imul(hash, FACTOR) + next - Math.imul(text.charCodeAt(at), OUT_FACTOR)) | 0;
    }
    return spans;
  }

  #mayBegin(hash: number): boolean {
    const bit = hash & (BLOOM_BITS - 1);
    return ((this.#bloom[bit >> 3] ?? 0) & (1 << (bit & 7))) !== 0;
  }

  /** The form that begins there, and how much of it is there: all, or what is left of it before a text was cut. */
  #formAt(text: string, at: number): Found | undefined {
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

  /** The text without the spans, and without the forms that are found in what it stands for. */
  #replaced(text: string, spans: readonly Span[] = []): string {
    const all = [...spans];
    for (const { text: reading, placeOf } of readingsOf(text)) {
      for (const { start, end, by } of this.#formsIn(reading))
        all.push({ start: placeOf(start), end: placeOf(end), by });
    }
    return withSpans(text, all);
  }

  /** The base64 that has values in it, such as that of `user:password`. */
  #encodedIn(text: string): readonly Span[] {
    const spans: Span[] = [];
    for (const { 0: token, index: start } of text.matchAll(BASE64_TOKEN)) {
      const by = this.#replacements.has(token) ? undefined : this.#encodedAgain(Buffer.from(token, 'base64'));
      if (by !== undefined) spans.push({ start, end: start + token.length, by });
    }
    return spans;
  }

  #encodedAgain(bytes: Buffer): string | undefined {
    const encoding = isUtf8(bytes) ? 'utf8' : 'latin1';
    const text = bytes.toString(encoding);
    const masked = encoding === 'utf8' ? this.#replaced(text) : withSpans(text, this.#formsIn(text));
    return masked === text ? undefined : Buffer.from(masked, encoding).toString('base64');
  }
}

/** Of spans that overlap, the first replaces all. */
function withSpans(text: string, spans: readonly Span[]): string {
  if (spans.length === 0) return text;
  let done = 0;
  let result = '';
  for (const { start, end, by } of spans.toSorted((one, other) => one.start - other.start || other.end - one.end)) {
    if (start >= done) result += text.slice(done, start) + by;
    done = Math.max(done, end);
  }
  return result + text.slice(done);
}

function hashOf(head: string): number {
  let hash = 0;
  for (let at = 0; at < MIN_CHARS; at += 1) hash = (Math.imul(hash, FACTOR) + head.charCodeAt(at)) | 0;
  return hash;
}
