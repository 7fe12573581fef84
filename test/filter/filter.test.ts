import { describe, expect, it } from 'vitest';
import { POD } from '@hooklet/jq/testing';
import { FilterError } from '../../src/errors.ts';
import { compileFilter } from '../../src/filter/filter.ts';

const jq = (expression: string) => compileFilter({ type: 'jq', expression });
const jsonPath = (expression: string) => compileFilter({ type: 'jsonPath', expression });

describe('a filterResult', () => {
  it.each([
    ['empty', 'null'],
    ['null', 'null'],
    ['.metadata.namespace', '"shop"'],
    ['.spec.containers[].name', '["nginx","sidecar"]'],
    ['[.spec.containers[].name]', '["nginx","sidecar"]'],
    ['.spec.containers[] | select(.name == "nginx").name', '"nginx"'],
    ['1e17, 1', '[1e+17,1]'],
  ])('of jq %s is %s: no output is null, one is itself, several are an array', (expression, result) => {
    expect(jq(expression).apply(POD)).toEqual({ result });
  });

  it.each([
    ['$.nothing', 'null'],
    ['{.metadata.namespace}', '"shop"'],
    ['.spec.containers[*].name', '["nginx","sidecar"]'],
    ['$.spec.containers[0].name', '"nginx"'],
  ])('of JSONPath %s is %s: by the same rule', (expression, result) => {
    expect(jsonPath(expression).apply(POD)).toEqual({ result });
  });
});

describe('a filter that fails on an object', () => {
  it('tells what went wrong beside a null', () => {
    expect(jq('.metadata.name.first').apply(POD)).toEqual({
      result: 'null',
      error: 'Cannot index string with string ("first")',
    });
  });

  it.each([
    ['repeat(.)', 'the filter was stopped after 100000 outputs'],
    ['last(range(infinite))', 'the filter was stopped after 10000000 steps'],
    ['try (def f: f; f) catch 1', 'the filter was stopped after 10000000 steps'],
    ['def f: 1 + f; f', 'the recursion is too deep'],
    ['"x" * 1e9', 'Repeat string result too long'],
  ])('for ever is stopped: %s', (expression, error) => {
    const outcome = jq(expression).apply({});

    expect(outcome.result).toBe('null');
    // A slow machine reaches the time limit before the limit of steps.
    expect([error, 'the filter was stopped after 1000 ms']).toContain(outcome.error);
  });

  it('works on the next object all the same', () => {
    const filter = jq('if .bad then error("bad") else .name end');

    expect([{ bad: true }, { name: 'a' }].map((object) => filter.apply(object))).toEqual([
      { result: 'null', error: 'bad' },
      { result: '"a"' },
    ]);
  });
});

describe('an expression that does not compile', () => {
  it.each([
    ['.a[', 'jq: syntax error: unexpected end of the expression, expected a filter at line 1, column 4'],
    ['.a | foo(1)', 'jq: foo/1 is not defined at line 1, column 6\n    .a | foo(1)\n         ^'],
    ['inputs', 'jq: inputs/0 is not available: a filter has one object as its input and no more'],
    ['debug', 'jq: debug/0 is not available: a filter has no place to write to'],
    ['$ENV.x, $nope', 'jq: $nope is not defined at line 1, column 9'],
    ['import "x" as x; 1', 'jq: import is not supported'],
    ['  ', 'jq filter is empty'],
  ])('is a FilterError that says where: %s', (expression, message) => {
    expect(() => jq(expression)).toThrow(FilterError);
    expect(() => jq(expression)).toThrow(message);
  });

  it('is one for JSONPath too', () => {
    expect(() => jsonPath('name')).toThrow(FilterError);
    expect(() => jsonPath('')).toThrow('jsonPath filter is empty');
  });
});

it('a filter does not see the environment of the operator', () => {
  expect(jq('env, $ENV').apply({})).toEqual({ result: '[{},{}]' });
});
