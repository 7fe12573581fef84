import { describe, expect, it } from 'vitest';
import { JsonTextError, parseJson } from '../src/json-parse.ts';

describe('text that is not JSON', () => {
  it.each([
    ['', 'Expected JSON value'],
    ['abc', 'Invalid numeric literal at EOF at line 1, column 3'],
    ['nope', 'Invalid literal at EOF at line 1, column 4'],
    ['[1', 'Unfinished JSON term at EOF at line 1, column 2'],
    ['{"a":', 'Unfinished JSON term at EOF at line 1, column 5'],
    ['"a', 'Unfinished string at EOF at line 1, column 2'],
    ['1 2', 'Unexpected extra JSON values'],
    ['{"a":1,\n}', 'Invalid JSON text at line 2, column 0'],
  ])('%j is reported as jq does', (text, message) => {
    expect(() => parseJson(text)).toThrow(new JsonTextError(message));
  });

  it('counts lines from where the text stands', () => {
    expect(() => parseJson('[1', 7)).toThrow('line 7, column 2');
  });
});

it('nan is a number', () => {
  expect([parseJson('nan'), parseJson(' NaN ')]).toEqual([NaN, NaN]);
});
