import { JqSyntaxError } from './syntax-error.ts';
import type { Token } from './tokenize.ts';

/** A cursor over the tokens of a program, for the parser. */
export class TokenStream {
  readonly source: string;
  readonly #tokens: readonly Token[];
  #index = 0;
  /** The rest of the current token after a part of it was taken. */
  #rest: Token | undefined;

  constructor(source: string, tokens: readonly Token[]) {
    this.source = source;
    this.#tokens = tokens;
  }

  get current(): Token {
    return this.#rest ?? this.#tokens[this.#index] ?? { type: 'end', at: this.source.length };
  }

  get following(): Token {
    return this.#tokens[this.#index + 1] ?? { type: 'end', at: this.source.length };
  }

  take(): Token {
    const token = this.current;
    this.#advance();
    return token;
  }

  /** Whether the current token is this operator or word. */
  is(text: string): boolean {
    return isWord(this.current, text);
  }

  /** Takes the current token if it is this operator or word. */
  accept(text: string): boolean {
    const found = this.is(text);
    if (found) this.#advance();
    return found;
  }

  expect(text: string): void {
    if (!this.accept(text)) this.fail(`'${text}'`);
  }

  /** Takes a `?`, also the one that the tokenizer joined with a following `//`. */
  acceptOptional(): boolean {
    const token = this.current;
    if (token.type !== 'operator' || !token.text.startsWith('?')) return false;
    if (token.text === '?') {
      this.#advance();
    } else {
      this.#rest = { type: 'operator', text: token.text.slice(1), at: token.at + 1 };
    }
    return true;
  }

  /** Takes the current token if it has this type, and returns its text; undefined otherwise. */
  acceptType(type: 'field' | 'name' | 'variable' | 'format' | 'operator'): string | undefined {
    const token = this.current;
    if (token.type !== type) return undefined;
    this.#advance();
    return token.text;
  }

  expectType(type: 'name' | 'variable', expected: string): string {
    return this.acceptType(type) ?? this.fail(expected);
  }

  /** Reports that something else was expected here. */
  fail(expected: string): never {
    this.failAt(`syntax error: unexpected ${describe(this.current)}, expected ${expected}`, this.current.at);
  }

  failAt(reason: string, at: number): never {
    throw new JqSyntaxError(reason, this.source, at);
  }

  /** A stream over the tokens of an interpolation in the same source. */
  nested(tokens: readonly Token[]): TokenStream {
    return new TokenStream(this.source, tokens);
  }

  #advance(): void {
    this.#rest = undefined;
    this.#index += 1;
  }
}

function isWord(token: Token, text: string): boolean {
  return (token.type === 'operator' || token.type === 'name') && token.text === text;
}

function describe(token: Token): string {
  switch (token.type) {
    case 'end':
      return 'end of the expression';
    case 'string':
      return 'string';
    case 'number':
      return `number ${token.text}`;
    case 'field':
      return `'.${token.text}'`;
    case 'variable':
      return `'$${token.text}'`;
    case 'name':
    case 'format':
    case 'operator':
      return `'${token.text}'`;
  }
}
