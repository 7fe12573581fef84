import { MAX_DEPTH, setOwn, type JsonValue } from './value.ts';
import { readNumber, type Numbers } from './number-literal.ts';

/** Thrown for a value of more levels than jq takes; `offset` is where the first of them begins. */
export class DepthExceeded extends Error {
  readonly offset: number;

  constructor(offset: number) {
    super('Exceeds depth limit for parsing');
    this.offset = offset;
  }
}

/**
 * Reads one JSON value as jq does where JSON.parse does not: keeps the order of keys that look like numbers, keeps
 * number literals, and takes `nan` and `Infinity`. Returns undefined for text that is not JSON. Some ten times slower
 * than JSON.parse.
 */
export function readJson(text: string, numbers: Numbers): JsonValue | undefined {
  return new Reader(text, numbers).read();
}

type Container = JsonValue[] | Record<string, JsonValue>;

interface Open {
  readonly container: Container;
  /** The key of the member that is being read. */
  key: string;
}

const SPACE = /[ \t\r\n]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/y;
const WORD = /-?[A-Za-z]+/y;
const WORDS: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ['null', null],
  ['true', true],
  ['false', false],
  ['nan', Number.NaN],
  ['NaN', Number.NaN],
  ['-NaN', Number.NaN],
  ['-nan', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
]);

/** A cursor over the text, with the containers that are open on a list: they may be deeper than the call stack. */
class Reader {
  readonly #text: string;
  readonly #numbers: Numbers;
  readonly #open: Open[] = [];
  #at = 0;

  constructor(text: string, numbers: Numbers) {
    this.#text = text;
    this.#numbers = numbers;
  }

  read(): JsonValue | undefined {
    for (;;) {
      let value = this.#begin();
      if (value === undefined) return undefined;
      if (value === OPENED) continue;
      while (this.#open.length > 0) {
        const next = this.#add(value);
        if (next === undefined) return undefined;
        value = next;
        if (value === OPENED) break;
      }
      if (value !== OPENED) return this.#isAtEnd() ? value : undefined;
    }
  }

  /** Reads a scalar or an empty container, or opens a container up to its first element. */
  #begin(): JsonValue | undefined {
    this.#match(SPACE);
    const char = this.#text[this.#at];
    if (char === '"') return this.#string();
    if (char === '[') return this.#enter([], ']');
    if (char === '{') return this.#enter({}, '}');
    const number = this.#match(NUMBER);
    if (number !== undefined && number !== '') return readNumber(number, this.#numbers);
    return WORDS.get(this.#match(WORD) ?? '');
  }

  #enter(container: Container, close: string): JsonValue | undefined {
    this.#at += 1;
    if (this.#open.length >= MAX_DEPTH) throw new DepthExceeded(this.#at);
    if (this.#takes(close)) return container;
    this.#open.push({ container, key: '' });
    return Array.isArray(container) ? OPENED : this.#key();
  }

  /** Adds a value to the innermost container. Returns the container if that ends it. */
  #add(value: JsonValue): JsonValue | undefined {
    const top = this.#open.at(-1);
    if (top === undefined) return undefined;
    const { container, key } = top;
    if (Array.isArray(container)) container.push(value);
    else setOwn(container, key, value);
    if (this.#takes(',')) return Array.isArray(container) ? OPENED : this.#key();
    if (!this.#takes(Array.isArray(container) ? ']' : '}')) return undefined;
    this.#open.pop();
    return container;
  }

  #key(): JsonValue | undefined {
    this.#match(SPACE);
    const key = this.#text[this.#at] === '"' ? this.#string() : undefined;
    const top = this.#open.at(-1);
    if (key === undefined || top === undefined || !this.#takes(':')) return undefined;
    top.key = key;
    return OPENED;
  }

  #string(): string | undefined {
    const start = this.#at;
    let end = start + 1;
    for (let code = this.#text.charCodeAt(end); code !== QUOTE; code = this.#text.charCodeAt(end)) {
      // NaN is the end of the text.
      if (Number.isNaN(code)) return undefined;
      end += code === BACKSLASH ? 2 : 1;
    }
    this.#at = end + 1;
    return parsedString(this.#text.slice(start, end + 1));
  }

  #takes(char: string): boolean {
    this.#match(SPACE);
    const isHere = this.#text[this.#at] === char;
    if (isHere) this.#at += 1;
    return isHere;
  }

  #isAtEnd(): boolean {
    this.#match(SPACE);
    return this.#at === this.#text.length;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }
}

const QUOTE = 34;
const BACKSLASH = 92;

/** What stands for a value that is not complete yet; compared by identity. */
const OPENED: JsonValue = Object.freeze([]);

function parsedString(quoted: string): string | undefined {
  try {
    const value: unknown = JSON.parse(quoted);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
