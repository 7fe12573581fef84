import { isExactNumber } from '../../lib/exact-json.ts';
import { isObject } from '../../lib/json-object.ts';
import { MARK } from '../../run/recording/marks.ts';

const BASE64 = /^[A-Za-z0-9+/]{32,}={0,2}$/;

/**
 * Compares what a hook wrote now with what was recorded and masked. A value that the hook was given as a mark, it writes
 * as a mark. One that it made itself is recorded as a mark and written as it is: such a mark stands for any value, but
 * always for the same one. `masked` returns what was written now with these values replaced by their marks.
 */
export class Unmasked {
  /** The marks that the hook was given. */
  readonly #given: ReadonlySet<string>;
  readonly #values = new Map<string, string>();
  readonly #marks = new Map<string, string>();

  constructor(contexts: unknown) {
    this.#given = new Set(marksIn(contexts));
  }

  /** The number of marks that stand for a value that cannot be compared. */
  get count(): number {
    return this.#values.size;
  }

  masked(recorded: unknown, now: unknown): unknown {
    if (typeof recorded === 'string') return typeof now === 'string' ? this.#text(recorded, now) : now;
    if (Array.isArray(recorded)) {
      return Array.isArray(now) ? now.map((one: unknown, at) => this.masked(recorded[at], one)) : now;
    }
    if (!isObject(recorded) || !isObject(now) || isExactNumber(now)) return now;
    return Object.fromEntries(Object.entries(now).map(([key, one]) => [key, this.masked(recorded[key], one)]));
  }

  #text(recorded: string, now: string): string {
    if (recorded === now) return now;
    if (this.#fits(recorded, now)) return recorded;
    const decoded = decodedMark(recorded);
    return decoded !== undefined && this.#fits(decoded, Buffer.from(now, 'base64').toString()) ? recorded : now;
  }

  /** Whether the text is the recorded one, with values in place of marks. */
  #fits(recorded: string, now: string): boolean {
    const marks = recorded.match(MARK) ?? [];
    if (marks.length === 0) return false;
    const values = valuesBetween(recorded.split(MARK), now);
    if (values === undefined) return false;
    const pairs = marks.map((mark, at) => ({ mark, value: values[at] ?? '' }));
    if (!pairs.every(({ mark, value }) => this.#mayBe(mark, value))) return false;
    for (const { mark, value } of pairs) {
      if (this.#given.has(mark)) continue;
      this.#values.set(mark, value);
      this.#marks.set(value, mark);
    }
    return true;
  }

  #mayBe(mark: string, value: string): boolean {
    if (this.#given.has(mark)) return mark === value;
    const text = this.#values.get(mark) ?? value;
    return value !== '' && text === value && (this.#marks.get(value) ?? mark) === mark;
  }
}

/** What a text has between these parts, which must be all the rest of it; undefined where it is another text. */
function valuesBetween(parts: readonly string[], text: string): readonly string[] | undefined {
  const [first = '', ...rest] = parts;
  if (!text.startsWith(first)) return undefined;
  const values: string[] = [];
  let at = first.length;
  for (const [index, part] of rest.entries()) {
    const isLast = index === rest.length - 1;
    const end = isLast ? text.length - part.length : text.indexOf(part, at + 1);
    if (end < at || (isLast && !text.endsWith(part))) return undefined;
    values.push(text.slice(at, end));
    at = end + part.length;
  }
  return values;
}

function decodedMark(text: string): string | undefined {
  if (!BASE64.test(text)) return undefined;
  const decoded = Buffer.from(text, 'base64').toString();
  return decoded.search(MARK) === -1 ? undefined : decoded;
}

function marksIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [...(value.match(MARK) ?? []), ...(decodedMark(value)?.match(MARK) ?? [])];
  if (Array.isArray(value)) return value.flatMap(marksIn);
  return isObject(value) ? Object.entries(value).flatMap(([key, one]) => [...marksIn(key), ...marksIn(one)]) : [];
}
