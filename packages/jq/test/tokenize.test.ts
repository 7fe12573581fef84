import { describe, expect, it } from 'vitest';
import { tokenize, type Token } from '../src/tokenize.ts';

describe('tokens', () => {
  it.each([
    ['.foo .. . .5 1.5e3', 'field:foo operator:.. operator:. number:.5 number:1.5e3 end'],
    ['$x $ y $__loc__ a::b', 'variable:x variable:y variable:__loc__ name:a::b end'],
    ['?// // //= |= ?', 'operator:?// operator:// operator://= operator:|= operator:? end'],
    ['@base64 "x"', 'format:@base64 string end'],
    ['a # b\n c', 'name:a name:c end'],
    ['', 'end'],
  ])('of %s', (source, expected) => {
    expect(tokenize(source).map(show).join(' ')).toBe(expected);
  });

  it('of an interpolation are inside the string', () => {
    const [token] = tokenize('"a\\(f(")"))b"');

    expect(token).toMatchObject({
      type: 'string',
      parts: ['a', [{ text: 'f' }, { text: '(' }, {}, { text: ')' }, {}], 'b'],
    });
  });

  it('know where they are', () => {
    expect(tokenize('.a |\n .b').map(({ at }) => at)).toEqual([0, 3, 6, 8]);
  });
});

describe('text that has no tokens', () => {
  it.each([
    ['1 & 2', 'unexpected character "&" at line 1, column 3'],
    ['"abc', 'unterminated string at line 1, column 1'],
    ['"a\\q"', 'invalid escape in string at line 1, column 3'],
    ['"\\u12"', 'invalid escape in string at line 1, column 2'],
    ['"\\(1', 'unterminated string interpolation at line 1, column 5'],
  ])('is reported: %s', (source, message) => {
    expect(() => tokenize(source)).toThrow(message);
  });
});

function show(token: Token): string {
  if (token.type === 'number') return `number:${token.text}`;
  return 'text' in token ? `${token.type}:${token.text}` : token.type;
}
