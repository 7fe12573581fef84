import { describe, expect, it } from 'vitest';
import { shown, shownName, shownText } from '../../src/lib/shown.ts';

describe('shown', () => {
  it.each<[string, unknown, string]>([
    ['a text', 'a "b"', String.raw`"a \"b\""`],
    ['an object', { a: [1, null, true], b: { c: 'd' } }, '{"a":[1,null,true],"b":{"c":"d"}}'],
    ['nothing', undefined, 'undefined'],
    ['what JSON cannot say', Number.NaN, 'NaN'],
    ['a large number', 10n, '10'],
    ['a function', () => {}, 'function'],
    ['control characters', '\u001B[31m', String.raw`"\u001b[31m"`],
  ])('writes %s', (_law, value, text) => {
    expect(shown(value)).toBe(text);
  });

  it('cuts after 100 characters', () => {
    expect(shown('x'.repeat(100))).toBe(`"${'x'.repeat(100)}"`);
    expect(shown('x'.repeat(1_000_000))).toBe(`"${'x'.repeat(100)}…"`);
    expect(shown(Array(1_000_000).fill(1))).toHaveLength(101);
  });

  it('ends with what is deep or circular', () => {
    const circle: unknown[] = [];
    circle.push(circle);
    let deep: unknown = 1;
    for (let level = 0; level < 1_000_000; level += 1) deep = { a: deep };

    expect(shown(circle)).toBe(`${'['.repeat(100)}…`);
    expect(shown(deep)).toHaveLength(101);
  });

  it('does not cut a character in two', () => {
    expect(shownName(`${'x'.repeat(59)}😀`)).toBe(`${'x'.repeat(59)}…`);
  });
});

it('cuts names after 60 characters and texts after 2,000', () => {
  expect(shownName('x'.repeat(61))).toBe(`${'x'.repeat(60)}…`);
  expect(shownText('x'.repeat(2001))).toBe(`${'x'.repeat(2000)}…`);
});
