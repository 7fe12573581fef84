import { readNumber, type Numbers } from './number-literal.ts';
import { JqSyntaxError } from './syntax-error.ts';

/** One token; `at` is its offset in the source. */
export type Token =
  | { readonly type: 'field' | 'name' | 'variable' | 'format' | 'operator'; readonly text: string; readonly at: number }
  | { readonly type: 'number'; readonly text: string; readonly value: number | symbol; readonly at: number }
  | { readonly type: 'string'; readonly parts: readonly (string | readonly Token[])[]; readonly at: number }
  | { readonly type: 'end'; readonly at: number };

/** Splits a program into tokens; an interpolation `\(…)` becomes a list of tokens inside its string. */
export function tokenize(source: string, numbers: Numbers = 'doubles'): readonly Token[] {
  return new Tokenizer(source, numbers).tokens(false);
}

const SPACE = /(?:[ \t\r\n]|#(?:\\[^]|[^\\\n])*\\?)+/y;
const NUMBER = /(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?/y;
const FIELD = /\.[a-zA-Z_][a-zA-Z0-9_]*/y;
const NAME = /(?:[a-zA-Z_][a-zA-Z0-9_]*::)*[a-zA-Z_][a-zA-Z0-9_]*/y;
const VARIABLE = /\$\s*(?:(?:[a-zA-Z_][a-zA-Z0-9_]*::)*[a-zA-Z_][a-zA-Z0-9_]*)/y;
const FORMAT = /@[a-zA-Z0-9_]+/y;
const OPERATOR = /\?\/\/=?|\/\/=|[|+\-*/%=!<>]=|\/\/|\.\.|[.[\](){}|,:;=<>+\-*/%?]/y;
const PLAIN_TEXT = /[^"\\]+/y;

const SIMPLE_ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/** A cursor over one source text. */
class Tokenizer {
  readonly #source: string;
  readonly #numbers: Numbers;
  #position = 0;

  constructor(source: string, numbers: Numbers) {
    this.#source = source;
    this.#numbers = numbers;
  }

  /** Reads up to the end, or with `isNested` up to the parenthesis that closes an interpolation. */
  tokens(isNested: boolean): Token[] {
    const tokens: Token[] = [];
    let depth = 0;
    for (;;) {
      this.#match(SPACE);
      const at = this.#position;
      if (at >= this.#source.length) {
        if (isNested) this.#fail('unterminated string interpolation', at);
        return [...tokens, { type: 'end', at }];
      }
      const token = this.#next(at);
      if (token.type === 'operator' && token.text === '(') depth += 1;
      if (token.type === 'operator' && token.text === ')') {
        if (isNested && depth === 0) return [...tokens, { type: 'end', at }];
        depth -= 1;
      }
      tokens.push(token);
    }
  }

  #next(at: number): Token {
    if (this.#source[at] === '"') return this.#string(at);
    const number = this.#match(NUMBER);
    if (number !== undefined) return { type: 'number', text: number, value: readNumber(number, this.#numbers), at };
    return this.#word(at) ?? this.#operator(at);
  }

  #word(at: number): Token | undefined {
    const field = this.#match(FIELD);
    if (field !== undefined) return { type: 'field', text: field.slice(1), at };
    const name = this.#match(NAME);
    if (name !== undefined) return { type: 'name', text: name, at };
    const variable = this.#match(VARIABLE);
    if (variable !== undefined) return { type: 'variable', text: variable.slice(1).trim(), at };
    const format = this.#match(FORMAT);
    if (format !== undefined) return { type: 'format', text: format, at };
    return undefined;
  }

  #operator(at: number): Token {
    const text = this.#match(OPERATOR);
    if (text === undefined) this.#fail(`unexpected character ${JSON.stringify(this.#source[at])}`, at);
    return { type: 'operator', text, at };
  }

  #string(at: number): Token {
    const parts: (string | readonly Token[])[] = [];
    let text = '';
    this.#position += 1;
    for (;;) {
      text += this.#match(PLAIN_TEXT) ?? '';
      const char = this.#source[this.#position];
      if (char === undefined) this.#fail('unterminated string', at);
      this.#position += 1;
      if (char === '"') break;
      if (this.#source[this.#position] === '(') {
        this.#position += 1;
        parts.push(text, this.tokens(true));
        text = '';
      } else {
        text += this.#escape();
      }
    }
    parts.push(text);
    return { type: 'string', parts, at };
  }

  #escape(): string {
    const at = this.#position - 1;
    const char = this.#source[this.#position] ?? '';
    this.#position += 1;
    const simple = SIMPLE_ESCAPES[char];
    if (simple !== undefined) return simple;
    const digits = this.#source.slice(this.#position, this.#position + 4);
    if (char !== 'u' || !/^[0-9a-fA-F]{4}$/.test(digits)) this.#fail('invalid escape in string', at);
    this.#position += 4;
    return String.fromCharCode(Number.parseInt(digits, 16));
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#position;
    const text = pattern.exec(this.#source)?.[0];
    if (text !== undefined) this.#position += text.length;
    return text;
  }

  #fail(reason: string, at: number): never {
    throw new JqSyntaxError(reason, this.#source, at);
  }
}
