import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../src/json-parse.ts';
import { jsonText } from '../src/json-text.ts';
import { compareLiterals, numberOf, readNumber, type Numbers } from '../src/number-literal.ts';
import { compileJq } from '../src/program.ts';
import { JqRoundedError } from '../src/signals.ts';

function outputs(program: string, text: string, numbers: Numbers): string {
  const texts: string[] = [];
  compileJq(program, { numbers }).run(parseJson(text, 1, numbers), (output) => texts.push(jsonText(output)));
  return texts.join(' ');
}

const BIG = '9007199254740993';

describe('whole numbers above 2^53', () => {
  it.each([
    ['.', `{"a":${BIG},"b":[-${BIG}]}`, `{"a":${BIG},"b":[-${BIG}]}`],
    ['.a, .b[0]', `{"a":${BIG},"b":[1]}`, `${BIG} 1`],
    ['tostring, tojson, "\\(.)", @json, (tojson | fromjson)', BIG, `"${BIG}" "${BIG}" "${BIG}" "${BIG}" ${BIG}`],
    ['-., (-. | abs), (-. | length), ([., null] | add)', BIG, `-${BIG} ${BIG} ${BIG} ${BIG}`],
    [`. == ${BIG}, . == 9007199254740995, . > 9007199254740992, ([., 1] | max)`, BIG, `true false true ${BIG}`],
    ['[.[] | select(. > 9007199254740994)]', `[${BIG},9007199254740995]`, '[9007199254740995]'],
    [
      'unique, sort, index(9007199254740995), . - [9007199254740995]',
      `[9007199254740995,${BIG}]`,
      `[${BIG},9007199254740995] [${BIG},9007199254740995] 0 [${BIG}]`,
    ],
    ['[join("-"), @csv, @tsv, @sh]', `[${BIG},1]`, `["${BIG}-1","${BIG},1","${BIG}\\t1","${BIG} 1"]`],
    ['type, (.a |= .), ({(tostring): .} | keys)', BIG, '!!'],
    [`${BIG}, [${BIG}], {a: ${BIG}}`, 'null', `${BIG} [${BIG}] {"a":${BIG}}`],
    ['"9223372036854775807" | tonumber', 'null', '9223372036854775807'],
    ['[limit(.; 1, 2)], [range(.; .)], (. % 2), floor, (. / .), (. - .)', BIG, '[1,2] [] 0 9007199254740992 1 0'],
  ])('%s on %s', (program, text, expected) => {
    if (expected === '!!') expect(() => outputs(program, text, 'integers')).toThrow('Cannot index number');
    else expect(outputs(program, text, 'integers')).toBe(expected);
  });

  it('are doubles where nobody asked for more', () => {
    expect(outputs('.', BIG, 'doubles')).toBe('9007199254740992');
    expect(outputs(BIG, 'null', 'doubles')).toBe('9007199254740992');
  });

  it('are doubles once a program computes with them, as in jq', () => {
    expect(outputs('. + 0, . * 1', BIG, 'integers')).toBe('9007199254740992 9007199254740992');
  });

  it('pass through whatever their number of digits', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }), (number) => {
        const text = String(number);
        expect(outputs('[{a: .}] | .[0].a', text, 'integers')).toBe(text);
        expect(outputs('[{a: .}] | .[0].a', text, 'literals')).toBe(text);
      }),
    );
  });
});

describe('literals', () => {
  it.each([
    ['1.000', '1.000'],
    ['100e-2', '1.00'],
    ['1e3', '1E+3'],
    ['12e2', '1.2E+3'],
    ['0.00001', '0.00001'],
    ['0.0000001', '1E-7'],
    ['-0.10', '-0.10'],
    ['0e10', '0E+10'],
    ['123', '123'],
    ['1E+1000', '1E+1000'],
    ['0.12345678901234567890123456789', '0.12345678901234567890123456789'],
  ])('%s are written as jq does: %s', (text, expected) => {
    expect(outputs('.', text, 'literals')).toBe(expected);
    expect(outputs('.', text, 'integers')).toBe(jsonText(Number(text)));
  });

  it('are compared by all digits, in the order of their values', () => {
    const decimal = fc.tuple(fc.bigInt({ min: -999n, max: 999n }), fc.integer({ min: -5, max: 5 }));
    fc.assert(
      fc.property(decimal, decimal, ([a, m], [b, n]) => {
        const exact = a * 10n ** BigInt(m + 5) - b * 10n ** BigInt(n + 5);
        const order = compareLiterals(Symbol(`${a}e${m}`), Symbol(`${b}e${n}`));
        // Of equal ones it may be -0.
        expect(Math.sign(order) + 0).toBe(exact < 0n ? -1 : exact > 0n ? 1 : 0);
      }),
    );
  });

  it('have the double nearest to them', () => {
    expect(numberOf(readNumber(BIG, 'integers'))).toBe(9_007_199_254_740_992);
    expect(numberOf('1')).toBeUndefined();
  });
});

describe('a run on a rounded input', () => {
  const run = (program: string, input: unknown, isRounded: boolean): string[] => {
    const texts: string[] = [];
    const value = parseJson(JSON.stringify(input));
    compileJq(program, { numbers: 'integers' }).run(value, (output) => texts.push(jsonText(output)), { isRounded });
    return texts;
  };
  const input = { a: 2 ** 53 + 2, b: 1, c: 1.5 };

  it.each(['.a', '.a | tostring', '.', '.a + 1', '.a % 10', `.a == ${BIG}`])(
    '%s ends at a number that may have lost digits',
    (program) => {
      expect(() => run(program, input, true)).toThrow(JqRoundedError);
      expect(run(program, input, false)).toHaveLength(1);
    },
  );

  it.each(['.b', '.c', '{b, c}', '.b + 1e300 | . > 1', 'del(.a)'])('%s does not', (program) => {
    expect(run(program, input, true)).toEqual(run(program, input, false));
  });
});
