import { expect, it } from 'vitest';
import { printable, printableLine } from '../../src/lib/printable.ts';

it.each([
  ['a colour', '\u001b[31mred\u001b[0m', String.raw`\u001b[31mred\u001b[0m`],
  ['the title of a terminal', '\u001b]0;title\u0007', String.raw`\u001b]0;title\u0007`],
  ['a C1 sequence', '\u009b2J', String.raw`\u009b2J`],
  ['a carriage return', 'ok\rno', String.raw`ok\u000dno`],
  ['backspaces and DEL', 'a\b\u007f', String.raw`a\u0008\u007f`],
  ['NUL', '\0', String.raw`\u0000`],
  ['an override of the direction', 'user\u202Etxt', String.raw`user\u202etxt`],
  ['isolates and marks', '\u2066a\u2069\u200f\u061c', String.raw`\u2066a\u2069\u200f\u061c`],
  ['line separators', 'a\u2028b\u2029', String.raw`a\u2028b\u2029`],
  ['half a pair', 'a\ud800b\udc00', String.raw`a\ud800b\udc00`],
])('%s is shown and has no effect', (_, text, shown) => {
  expect(printable(text)).toBe(shown);
});

it('what is only text stays as it is', () => {
  const text = 'tab\tline\nÜber, שלום, 日本, 👍🏽 e\u0301';

  expect(printable(text)).toBe(text);
});

it('a long text takes time in proportion to its length', () => {
  const text = '\u001b\ud800'.repeat(500_000);

  expect(printable(text)).toHaveLength(500_000 * 12);
});

it('a JSON text keeps its meaning', () => {
  const value = { 'a\u009b': 'b\u202e\u007f\ud800\u001b' };

  const text = printable(JSON.stringify(value));

  expect(text).toMatch(/^[ -~]+$/);
  expect(JSON.parse(text)).toEqual(value);
});

it('a line stays one line', () => {
  expect(printableLine('a\nb\r\u001b')).toBe(String.raw`a\nb\u000d\u001b`);
});
