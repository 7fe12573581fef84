import { describe, expect, it } from 'vitest';
import { ONLY_IN_C } from '../src/builtin-math.ts';
import { compileJq } from '../src/program.ts';
import { preludeDefinition, preludeNames } from '../src/prelude.ts';
import { resultLine, SILENT_HOST } from './our-jq.ts';

describe('a name that is not defined', () => {
  it.each([
    ['foo', 'foo/0 is not defined at line 1, column 1'],
    ['.a | foo(1; 2)', 'foo/2 is not defined at line 1, column 6'],
    ['map', 'map/0 is not defined'],
    ['def f: g; def g: 1; f', 'g/0 is not defined at line 1, column 8'],
    ['def unused: foo; 1', 'foo/0 is not defined'],
    ['$x', '$x is not defined at line 1, column 1'],
    ['1 as $x | $y', '$y is not defined at line 1, column 11'],
    ['(1 as $x | $x) | $x', '$x is not defined'],
    ['break $x', '$*label-x is not defined'],
    ['@nope "x"', '@nope is not a valid format at line 1, column 1'],
    ['constructor', 'constructor/0 is not defined'],
    ['@constructor', '@constructor is not a valid format'],
    ['$__prog_args', '$__prog_args is not defined'],
  ])('is named: %s', (program, message) => {
    expect(() => compileJq(program)).toThrow(message);
  });
});

describe('a function of C that only the real jq has', () => {
  it.each([...ONLY_IN_C])('is named, with where it is: %s', (name) => {
    expect(() => compileJq(`1 | ${name}`)).toThrow(
      `${name}/0 is not available: only the real jq has this function of C at line 1, column 5`,
    );
  });

  it('can be defined by the program', () => {
    expect(resultLine('def gamma: . * 2; 3 | gamma')).toBe('6');
  });
});

it('significand is exact beside powers of two, and for the smallest number', () => {
  expect(resultLine('8, 7.999999999999999, -0.5, 5e-324, 0 | significand')).toBe('1 1.9999999999999998 -1 1 0');
});

describe('every builtin', () => {
  it('written in jq compiles', () => {
    for (const name of preludeNames()) {
      const [word = '', arity = '0'] = name.split('/');
      const args = Array.from({ length: Number(arity) }, () => '.').join(';');
      expect(() => compileJq(args === '' ? word : `${word}(${args})`, { host: SILENT_HOST })).not.toThrow();
    }
  });

  it('is listed by builtins', () => {
    const listed = 'map/1 add/0 add/1 splits/2 test/2 todate/0 getpath/1 tojson/0 ltrimstr/1 skip/2 IN/2 JOIN/4 pow/2';
    const program = `builtins as $all | "${listed}" | split(" ") - $all`;

    expect(resultLine(program)).toBe('[]');
    expect(resultLine('[builtins[] | select(startswith("_"))]')).toBe('[]');
    expect(resultLine('builtins | index("input/0")')).toBe('null');
  });

  it('can be replaced by the program', () => {
    expect(resultLine('def map(f): "mine"; [1] | map(.)')).toBe('"mine"');
    expect(resultLine('def first: 9; [1] | first, (first(.[]))')).toBe('9 1');
  });
});

it('a definition that does not exist is absent', () => {
  expect(preludeDefinition('nope', 0)).toBeUndefined();
});

describe('what jq 1.7 has and 1.6 had not', () => {
  it.each([
    ['[limit(0; 1, 2)], [limit(2; 1, 2, 3)]', '[] [1,2]'],
    ['[skip(1; 1, 2, 3)], [skip(0; 1)]', '[2,3] [1]'],
    ['{"a": {"b": 1, "c": 2}, "d": 3} | pick(.a.b), pick(.a, .d)', '{"a":{"b":1}} {"a":{"b":1,"c":2},"d":3}'],
    ['[1, [2]] | pick(.[1][0])', '[null,[2]]'],
    ['"  a b\\t" | trim, ltrim, rtrim', '"a b" "a b\\t" "  a b"'],
    ['"abcab" | trimstr("ab"), ltrimstr("ab"), rtrimstr("ab")', '"c" "cab" "abc"'],
    ['try (1 | trim) catch .', '"trim input must be a string"'],
    ['-5, 0, 3.5 | abs', '5 0 3.5'],
    ['1, [1] | toarray', '[1] [1]'],
    ['add(1, 2, 3), add(empty)', '6 null'],
    ['"abc", "äö😀" | reverse', '"cba" "😀öä"'],
    ['65 | ascii, ([.] | implode)', '"A" "A"'],
    ['have_literal_numbers, have_decnum', 'true false'],
    ['1e1000 | isinfinite', 'true'],
    ['try error(null) catch .', 'null'],
    ['"abc" | [match(""; "g").offset]', '[0,1,2,3]'],
    ['"abc" | gsub(""; "-"), gsub("^"; "-"), gsub("$"; "-")', '"-a-b-c-" "-abc" "abc-"'],
    ['"aXbX" | [gsub("X"; "1", "2")]', '["a1b1","a2b2"]'],
    ['"ab" | [match("(?=b)"; "g").offset]', '[1]'],
    ['"abAB" | [scan("ab"; "i")]', '["ab","AB"]'],
    ['[1, 2, 3] | (.[] | select(. >= 2)) |= empty', '[1]'],
    ['[1, 5, 3, 0, 7] | (.[] | select(. >= 2)) |= empty', '[1,0]'],
    ['"x" | @base32, (@base32 | @base32d)', '"PA======" "x"'],
    ['"a%20b%C3%A9" | @urid', '"a bé"'],
    ['[1, 2] | getpath([0]) |= 5', '[5,2]'],
    ['[[1, 2], [3]] | last |= "x", first |= "y"', '[[1,2],"x"] ["y",[3]]'],
    ['[[1, 2], [3, 4]] | path(last(.[])), path(nth(0))', '[1] [0]'],
    ['if false then 1 end', 'null'],
    ['[splits("a, b"; ", *")?]', '[]'],
    ['[1, 2, 3] | limit(2; .[]) |= . * 10', '[10,20,3]'],
    ['{"a": [3, 1]} | walk(if type == "array" then sort else . end)', '{"a":[1,3]}'],
    ['[[1, 2], [1, 3]] | INDEX(.[1]) | keys', '["2","3"]'],
    ['[[1, "a"]] | JOIN({"1": "x"}; .[0] | tostring)', '[[[1,"a"],"x"]]'],
    ['[3] | implode | explode', '[3]'],
    ['[1114112] | implode | explode', '[65533]'],
    ['try (["a"] | implode) catch .', '"string (\\"a\\") can\'t be imploded, unicode codepoint needs to be numeric"'],
    ['"\\(1)" as $x | $x', '"1"'],
    ['[.[]?] | tojson', '"[]"'],
    ['3 * "ab"', '"ababab"'],
    ['[{"key": false}, {"key": null, "value": 1}, {"k": 1, "v": 2}] | from_entries', '{"false":null,"null":1,"1":2}'],
    ['getpath(["a", "b"])', 'null'],
    ['try getpath(1) catch .', '"Path must be specified as an array"'],
    ['"abc" | test("B"; null), test("B"; "i")', 'false true'],
    ['"2015-03-05T23:51:47.123Z" | try fromdate catch "no fraction"', '"no fraction"'],
    ['1425599621 | strflocaltime("%Y") | length', '4'],
    ['[1, 2] | tojson, tostring, @text', '"[1,2]" "[1,2]" "[1,2]"'],
  ])('%s', (program, expected) => {
    // Integer-like keys come first in JavaScript objects; compared as values.
    const normalize = (text: string): string =>
      text.replace('{"1":2,"false":null,"null":1}', '{"false":null,"null":1,"1":2}');

    expect(normalize(resultLine(program))).toBe(expected);
  });
});
