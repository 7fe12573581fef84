import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../src/json-parse.ts';
import { jsonText } from '../src/json-text.ts';
import { compileJq } from '../src/program.ts';
import { isIndexLike } from '../src/value.ts';

function outputs(program: string, input: string): string {
  const texts: string[] = [];
  compileJq(program).run(parseJson(input), (output) => texts.push(jsonText(output)));
  return texts.join(' ');
}

const MIXED = '{"b":1,"10":2,"a":3,"2":4}';

describe('keys that look like numbers stay where they are', () => {
  it.each([
    ['.', MIXED],
    ['keys_unsorted', '["b","10","a","2"]'],
    ['keys', '["10","2","a","b"]'],
    ['[.[]]', '[1,2,3,4]'],
    ['[paths[0]]', '["b","10","a","2"]'],
    ['to_entries | map(.key)', '["b","10","a","2"]'],
    ['with_entries(.value += 1)', '{"b":2,"10":3,"a":4,"2":5}'],
    ['map_values(. * 2)', '{"b":2,"10":4,"a":6,"2":8}'],
    ['del(.a)', '{"b":1,"10":2,"2":4}'],
    ['del(.["10"]) | .["10"] = 5', '{"b":1,"a":3,"2":4,"10":5}'],
    ['.["1"] = 0 | .c = 1', '{"b":1,"10":2,"a":3,"2":4,"1":0,"c":1}'],
    ['. + {"7": 1, b: 0}', '{"b":0,"10":2,"a":3,"2":4,"7":1}'],
    ['{"7": 1} + .', '{"7":1,"b":1,"10":2,"a":3,"2":4}'],
    ['. * {x: {"3": 1}} | .x *= {"1": 2}', '{"b":1,"10":2,"a":3,"2":4,"x":{"3":1,"1":2}}'],
    ['{"2": 1, a, "1": 2, (.b | tostring): 3, c: 4}', '{"2":1,"a":3,"1":3,"c":4}'],
    ['[{"2": 1}, {a: 1}, {"1": 1}] | add', '{"2":1,"a":1,"1":1}'],
    ['reduce ("9", "x", "3") as $k ({}; .[$k] = 1)', '{"9":1,"x":1,"3":1}'],
    ['[{key: "3", value: 1}, {key: "1", value: 2}] | from_entries', '{"3":1,"1":2}'],
    ['tojson', '"{\\"b\\":1,\\"10\\":2,\\"a\\":3,\\"2\\":4}"'],
    ['tojson | fromjson', MIXED],
    ['[tostream] | fromstream(.[])', MIXED],
    ['. as {$b} | {"5": $b, "4": 0}', '{"5":1,"4":0}'],
    ['walk(.)', MIXED],
    ['pick(.["2"], .["10"])', '{"2":4,"10":2}'],
  ])('%s', (program, expected) => {
    expect(outputs(program, MIXED)).toBe(expected);
  });

  it('in the text of any object', () => {
    const key = fc.oneof(
      fc.nat(20).map(String),
      fc.constantFrom('a', 'b', '-1', '01', '1.5', '4294967295', '__proto__'),
    );
    fc.assert(
      fc.property(fc.uniqueArray(key, { maxLength: 8 }), (keys) => {
        const text = `{${keys.map((name, index) => `${JSON.stringify(name)}:${index}`).join(',')}}`;
        expect(outputs('., (to_entries | from_entries), ([to_entries[] | {(.key): .value}] | add // {})', text)).toBe(
          `${text} ${text} ${text}`,
        );
      }),
    );
  });

  it('in code point order when JSON.parse has lost their order, as the API server writes them', () => {
    const texts: string[] = [];
    compileJq('., .z = 1, [.[]]').run(JSON.parse('{"10":1,"9":2,"a":3}'), (output) => texts.push(jsonText(output)));

    expect(texts).toEqual(['{"10":1,"9":2,"a":3}', '{"10":1,"9":2,"a":3,"z":1}', '[1,2,3]']);
  });

  it('of what JavaScript takes for an index', () => {
    expect(['0', '7', '4294967294'].filter(isIndexLike)).toEqual(['0', '7', '4294967294']);
    expect(['', '01', '-1', '1.0', '4294967295', '1e3', 'a'].filter(isIndexLike)).toEqual([]);
  });
});
