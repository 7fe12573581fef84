import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileJq } from '../src/program.ts';
import { JqHalt, JqLimitError } from '../src/signals.ts';
import type { JsonValue } from '../src/value.ts';
import { GOLDEN_CASES } from './golden-cases.ts';
import { resultLine, SILENT_HOST } from './our-jq.ts';

describe('deep recursion does not overflow the stack', () => {
  it.each([
    ['def f: if . < 1e5 then . + 1 | f else . end; 0 | f', '100000'],
    ['[recurse(if . < 10000 then . + 1 else empty end)] | length', '10001'],
    ['last(range(1e5))', '99999'],
    ['0 | until(. >= 1e5; . + 1)', '100000'],
    ['[0 | while(. < 1e5; . + 1)] | length', '100000'],
    ['[limit(100000; repeat(1))] | length', '100000'],
    ['reduce range(1e5) as $i (0; . + $i)', '4999950000'],
    ['[foreach range(1e5) as $i (0; . + 1)] | last', '100000'],
    ['def fib: if . < 2 then . else (. - 1 | fib) + (. - 2 | fib) end; 18 | fib', '2584'],
    ['def sum: if length == 0 then 0 else .[0] + (.[1:] | sum) end; [range(300)] | sum', '44850'],
    ['def count($n): if $n > 0 then count($n - 1) else "done" end; count(50000)', '"done"'],
  ])('%s', (program, expected) => {
    expect(resultLine(program, 0)).toBe(expected);
  });

  it('is reported where it cannot be avoided', () => {
    expect(resultLine('def f: 1 + f; f')).toBe('!! the recursion is too deep');
  });
});

describe('errors', () => {
  it('behind a try are not the business of the try', () => {
    expect(resultLine('try (1, 2) catch "caught" | error("behind")')).toBe('!! behind');
    expect(resultLine('(1, 2)? | error("behind")')).toBe('!! behind');
  });

  it('of the caller pass through as they are', () => {
    const program = compileJq('try . catch "caught"');
    const mine = new Error('mine');

    expect(() => {
      program.run(1, () => {
        throw mine;
      });
    }).toThrow(mine);
  });

  it('carry the value that was raised', () => {
    expect(resultLine('error({a: 1})')).toBe('!! (not a string): {"a":1}');
    expect(resultLine('error(null)')).toBe('!! (not a string): null');
  });

  it('of a break that leaves its label are impossible to catch by value', () => {
    expect(resultLine('[label $f | try (break $f) catch "caught"]')).toBe('[]');
  });
});

describe('limits', () => {
  it.each([
    ['repeat(1)'],
    ['def f: f; f'],
    ['[range(infinite)]'],
    ['0 | until(false; . + 1)'],
    ['try repeat(1) catch 2'],
  ])('end %s', (source) => {
    const program = compileJq(source, { limits: { maxSteps: 10_000, timeoutMs: 60_000 } });

    expect(() => program.run(null, () => {})).toThrow(JqLimitError);
  });

  it('hold for the time a run takes, by the clock given', () => {
    let nowMs = 0;
    const nowFn = (): number => (nowMs += 100);
    const program = compileJq('repeat(1)', { limits: { maxSteps: 1e9, timeoutMs: 1000 }, nowMs: nowFn });

    expect(() => program.run(null, () => {})).toThrow('stopped after 1000 ms');
  });

  it('count for each run anew', () => {
    const program = compileJq('[range(6000)] | length', { limits: { maxSteps: 10_000, timeoutMs: 60_000 } });
    const outputs: JsonValue[] = [];
    for (let run = 0; run < 5; run += 1) program.run(null, (output) => outputs.push(output));

    expect(outputs).toEqual([6000, 6000, 6000, 6000, 6000]);
  });
});

describe('what comes from outside', () => {
  it('is in variables and in $ENV', () => {
    const options = { variables: { who: 'me' }, environment: { HOME: '/root' } };

    expect(resultLine('$who, env.HOME, $ENV.HOME', null, options)).toBe('"me" "/root" "/root"');
  });

  it('is empty without them', () => {
    expect(resultLine('env, $ENV')).toBe('{} {}');
  });

  it('includes inputs only with a host', () => {
    const inputs: JsonValue[] = [1, 2, 3];
    const host = { ...SILENT_HOST, nextInput: () => inputs.shift() };

    expect(resultLine('[., input, [inputs]]', 0, { host })).toBe('[0,1,[2,3]]');
    expect(() => compileJq('input')).toThrow(
      'input/0 is not available: a filter has one object as its input and no more',
    );
    expect(() => compileJq('debug("x")')).toThrow('debug/1 is not available');
    expect(() => compileJq('get_search_list', { host })).toThrow('get_search_list/0 is not available');
  });

  it('ends at halt', () => {
    const program = compileJq('1, halt_error, 2', { host: SILENT_HOST });
    const outputs: JsonValue[] = [];

    expect(() => program.run('bye', (output) => outputs.push(output))).toThrow(JqHalt);
    expect(outputs).toEqual([1]);
  });
});

describe('names of Object.prototype', () => {
  it.each([
    ['.constructor, .toString, .["__proto__"], has("constructor")', 'null null null false'],
    ['.__proto__ = 1 | .__proto__, keys', '1 ["__proto__"]'],
    ['{"__proto__": {"x": 1}} | .x, .__proto__.x, tojson', 'null 1 "{\\"__proto__\\":{\\"x\\":1}}"'],
    ['{} + {"__proto__": 1} | del(.__proto__)', '{}'],
    ['[{"key": "__proto__", "value": 2}] | from_entries | to_entries', '[{"key":"__proto__","value":2}]'],
    ['{"constructor": 1} * {"toString": {"a": 2}} | keys', '["constructor","toString"]'],
  ])('%s are keys like any other', (program, expected) => {
    expect(resultLine(program, {})).toBe(expected);
  });
});

const json = fc.jsonValue().map((value): JsonValue => JSON.parse(JSON.stringify(value)));

describe('for all values', () => {
  it('tojson and fromjson are inverse', () => {
    const program = compileJq('tojson | fromjson');

    fc.assert(
      fc.property(json, (value) => {
        const outputs: JsonValue[] = [];
        program.run(value, (output) => outputs.push(output));
        expect(outputs).toEqual([value]);
      }),
    );
  });

  it('a stream of events builds the same value', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(resultLine('fromstream(tostream) == .', value)).toBe('true');
      }),
    );
  });

  it('every path leads to a value, and setting it there changes nothing', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(resultLine('. as $d | all(paths; . as $p | $d | setpath($p; getpath($p)) == $d)', value)).toBe('true');
      }),
    );
  });

  it('sorting is stable under repetition and agrees with comparison', () => {
    fc.assert(
      fc.property(fc.array(json), (values) => {
        expect(resultLine('sort as $s | ($s | sort) == $s and all(range(1; length); $s[. - 1] <= $s[.])', values)).toBe(
          'true',
        );
      }),
    );
  });
});

it('no program changes its input', () => {
  for (const { program, input } of GOLDEN_CASES) {
    const copy: JsonValue = structuredClone(input);
    freeze(copy);
    try {
      compileJq(program, { host: SILENT_HOST }).run(copy, () => {});
    } catch (error) {
      // A write to a frozen object is the engine's fault; anything else the program's.
      expect(error).not.toBeInstanceOf(TypeError);
    }
    expect(copy).toEqual(input);
  }
});

function freeze(value: JsonValue): void {
  if (typeof value !== 'object' || value === null) return;
  Object.freeze(value);
  for (const item of Object.values(value)) freeze(item);
}
