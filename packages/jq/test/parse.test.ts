import { describe, expect, it } from 'vitest';
import { parseDefinitions, parseProgram } from '../src/parse.ts';
import { JqSyntaxError } from '../src/syntax-error.ts';
import { resultLine } from './our-jq.ts';

describe('a syntax error says where it is and what was expected', () => {
  it.each([
    ['.a[', 'unexpected end of the expression, expected a filter at line 1, column 4'],
    ['1 +', 'unexpected end of the expression, expected a filter at line 1, column 4'],
    ['.a |\n .b)', "unexpected ')', expected an operator or the end of the expression at line 2, column 4"],
    ['{a:1', "unexpected end of the expression, expected ',' or '}' at line 1, column 5"],
    ['{1: 2}', "unexpected number 1, expected a key: a name, a string, '$name' or '(', or '}' at line 1, column 2"],
    ['if . then 1', "unexpected end of the expression, expected 'end' at line 1, column 12"],
    ['if . 1 end', "unexpected number 1, expected 'then' at line 1, column 6"],
    ['reduce . $x (0; 1)', "unexpected '$x', expected 'as' at line 1, column 10"],
    ['. as x | 1', "unexpected 'x', expected a pattern: '$name', '[' or '{' at line 1, column 6"],
    ['. as {1} | 1', "unexpected number 1, expected a key: a name, a string, '$name' or '(' at line 1, column 7"],
    ['def f(1): 2; f', "unexpected number 1, expected a parameter name such as 'f' or '$value' at line 1, column 7"],
    ['def f: 1', "unexpected end of the expression, expected ';' at line 1, column 9"],
    ['label x | 1', "unexpected 'x', expected a label name such as '$out' at line 1, column 7"],
    ['break', "unexpected end of the expression, expected a label name such as '$out' at line 1, column 6"],
    ['1 == 2 == 3', 'unexpected number 3, expected one comparison; use parentheses to nest them at line 1, column 11'],
    ['"\\(1;2)"', "unexpected ';', expected ')' to close the interpolation at line 1, column 5"],
    ['.[1:2', "unexpected end of the expression, expected ']' at line 1, column 6"],
    ['.[1', "unexpected end of the expression, expected ']' or ':' at line 1, column 4"],
    ['f(1', "unexpected end of the expression, expected ')' at line 1, column 4"],
    ['and', "unexpected 'and', expected a filter at line 1, column 1"],
    ['. as [] | 1', "unexpected ']', expected a pattern: '$name', '[' or '{' at line 1, column 7"],
    ['import "a" as a; 1', 'import is not supported: a program is one self-contained text at line 1, column 1'],
    ['include "a"; 1', 'include is not supported: a program is one self-contained text at line 1, column 1'],
  ])('%s', (program, message) => {
    expect(() => parseProgram(program)).toThrow(message);
  });

  it('shows the line with a mark under the place', () => {
    expect(() => parseProgram('.a |\n  .b |\n  .c[')).toThrow('at line 3, column 6\n      .c[\n         ^');
  });

  it('shows a window of a long line', () => {
    const program = `[${'1,'.repeat(500)})`;
    const shown = messageOf(program).split('\n');

    expect(shown[1]?.length).toBeLessThan(110);
    expect(shown[1]?.[shown[2]?.indexOf('^') ?? 0]).toBe(')');
  });
});

describe('a program', () => {
  it('of nothing, or of definitions alone, is the identity', () => {
    expect(parseProgram('  # only a comment')).toEqual({ type: 'identity' });
    expect(resultLine('def f: 1;', 7)).toBe('7');
  });

  it.each([
    ['1 + 2 * 3', '7'],
    ['1 - 2 - 3', '-4'],
    ['2 * -3', '-6'],
    ['1, 2 | . + 1', '2 3'],
    ['1 as $x | 2, $x', '2 1'],
    ['[1, 2] | .[0] = 5 // 6', '[5,2]'],
    ['true or false and false', 'true'],
    ['1 + 1 == 2 and 3 > 2', 'true'],
    ['null // 1 | . + 1', '2'],
    ['null // null // 3', '3'],
    ['try error("x") // 1', '1'],
    ['try error("x") catch . + "y"', '"xy"'],
    ['1 + . as $x | [$x]', '[1]'],
    ['-2 * 3 as $x | $x, 1', '-6 1'],
    ['1, 2 + 3 as $x | $x', '1 5'],
    ['reduce -(1, 2) as $x (0; . + $x)', '-3'],
    ['[foreach (4, 2) / 2 as $x (0; . + $x)]', '[2,3]'],
    ['[.[]?//"x"]', '["x"]'],
    ['.a?//"x"', '"x"'],
    ['{} | .a?//=1', '{"a":1}'],
    ['-1 as $x | 1, $x', '1 -1'],
    ['if true then 1 end | . + 1', '2'],
    ['reduce (1, 2) as $x (0; . + $x) | . * 2', '6'],
    ['{a: 1, b: 2,}', '{"a":1,"b":2}'],
    ['{a: 1 + 2, b: 3 | . * 2}', '{"a":3,"b":6}'],
    ['{$__loc__, "x": 1} | keys', '["__loc__","x"]'],
    ['{a: {b: 1}} | .a.["b"], ."a".b, ."a"["b"]', '1 1 1'],
    ['{if: 1, reduce: 2} | .if + .reduce', '3'],
    ['$__loc__.line', '1'],
    ['1 # comment \\\n still comment\n + 1', '2'],
    ['def f: def g: 2; g; f * f', '4'],
    ['"\\("a" + "\\(1 + 1)")"', '"a2"'],
    ['try -1', '-1'],
    ['[limit(2; 1, 2, 3)][1]', '2'],
  ])('groups %s as jq does', (program, expected) => {
    expect(resultLine(program)).toBe(expected);
  });
});

it('a file of definitions has nothing else', () => {
  expect(parseDefinitions('def a: 1; def b(f; $x): f;').map(({ name }) => name)).toEqual(['a', 'b']);
  expect(() => parseDefinitions('def a: 1; 2')).toThrow(JqSyntaxError);
});

function messageOf(program: string): string {
  try {
    parseProgram(program);
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
}
