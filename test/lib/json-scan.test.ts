import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isJson, memberSpans } from '../../src/lib/json-scan.ts';

const isParsed = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const members = (text: string, names: readonly string[]): Record<string, unknown> => {
  const json = Buffer.from(text);
  const spans = memberSpans(json, { start: json.indexOf('{'), end: json.length }, names);
  return Object.fromEntries(
    [...spans].map(([name, { start, end }]): [string, unknown] => [
      name,
      JSON.parse(json.toString('utf8', start, end)),
    ]),
  );
};

const LETTERS = '{}[]",:\\ue-+.01tn \n\u0001é'.split('');

/** JSON text that was damaged at some places. */
const damaged = fc
  .tuple(fc.json({ maxDepth: 4 }), fc.array(fc.tuple(fc.nat(), fc.constantFrom(...LETTERS)), { maxLength: 2 }))
  .map(([text, changes]) =>
    changes.reduce((before, [place, letter]) => {
      const at = place % (before.length + 1);
      return before.slice(0, at) + letter + before.slice(at + (place % 2));
    }, text),
  );

describe('JSON that is looked into', () => {
  it('is taken exactly where JSON.parse takes it', () => {
    fc.assert(
      fc.property(damaged, (text) => {
        expect(isJson(Buffer.from(text)), text).toBe(isParsed(text));
      }),
      { numRuns: 3000 },
    );
  });

  it.each([
    '',
    ' ',
    '{',
    '}',
    '{}',
    '[]',
    '[}',
    '{]',
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '[1,]',
    '[,]',
    '{,}',
    '{"a":1 "b":2}',
    '1 2',
    '{} {}',
    '-',
    '-0',
    '00',
    '01',
    '1.',
    '.5',
    '1.5e',
    '1e+',
    '1E-7',
    '+1',
    'tru',
    'true',
    'nulls',
    'NaN',
    '"\\x"',
    '"\\u12g4"',
    '"\\u12',
    '"\\',
    '"a\nb"',
    '\ufeff{}',
    '\u00a0{}',
    '\u000b1',
    '"\u2028"',
    '"\u007f"',
    "{'a':1}",
  ])('is taken exactly where JSON.parse takes it: %j', (text) => {
    expect(isJson(Buffer.from(text))).toBe(isParsed(text));
  });

  it('has at most 10000 levels', () => {
    expect(isJson(Buffer.from('['.repeat(10_000) + ']'.repeat(10_000)))).toBe(true);
    expect(isJson(Buffer.from('['.repeat(10_001) + ']'.repeat(10_001)))).toBe(false);
  });

  it('has the members that JSON.parse finds, of duplicates the last', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), fc.json({ maxDepth: 4 }), fc.boolean(), (one, two, isSpaced) => {
        const text = `{"b":${two},"a":${two},"x":[${one}],"a":${one}}`;
        expect(members(isSpaced ? text.replaceAll(/(^.|,"x":)/g, ' $1\n ') : text, ['a', 'x', 'c'])).toEqual({
          a: JSON.parse(one),
          x: [JSON.parse(one)],
        });
      }),
    );
    expect(members('{}', ['a'])).toEqual({});
    expect(members('{"__proto__":1,"a":2}', ['a', '__proto__'])).toEqual(JSON.parse('{"__proto__":1,"a":2}'));
  });
});
