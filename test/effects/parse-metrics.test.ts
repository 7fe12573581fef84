import { describe, expect, it } from 'vitest';
import { HookOutputError } from '../../src/errors.ts';
import { metricsDespiteFailure, parseMetrics } from '../../src/effects/parse-metrics.ts';

describe('what is understood', () => {
  it.each(['', '\n', ' \n '])('an empty file %j holds nothing', (text) => {
    expect(parseMetrics(text).operations).toEqual([]);
  });

  it('objects one behind the other', () => {
    expect(parseMetrics('{"name":"a","add":1}{"name":"b","add":1}\n\n{"name":"c",\n"add":1}').operations).toMatchObject(
      [{ name: 'a' }, { name: 'b' }, { name: 'c' }],
    );
  });
});

describe('what is refused', () => {
  it('what is no object', () => {
    expect(problemsOf('5')[1]).toBe('  document 1, line 1: received 5, expected an object with a metric operation');
  });

  it('is told all at once, with lines', () => {
    const text = '{"name":"a","add":1}\n{"name":"b"}\n\n{"action":"set","value":"x"}\n{"name":\n';

    expect(problemsOf(text)).toEqual([
      'METRICS_PATH has 3 problem(s), nothing of this run is applied:',
      "  document 3, line 4: 'name' is required",
      '  document 3, line 4: value: received "x", expected a number',
      expect.stringMatching(/^ {2}document 4, line 5 cannot be read as JSON: /),
    ]);
  });
});

it('keys without meaning are pointed out', () => {
  expect(parseMetrics('{"name":"a","add":1,"help":"x"}').warnings).toEqual([
    'document 1, line 1: help has no effect and is ignored',
  ]);
});

it('ignoreHookError selects metrics for runs that failed', () => {
  const { operations, warnings } = parseMetrics(
    '{"name":"a","add":1}{"name":"b","add":1,"ignoreHookError":true}{"group":"g","action":"expire","ignoreHookError":true}',
  );

  expect(metricsDespiteFailure(operations)).toEqual(operations.slice(1));
  expect(warnings).toEqual([]);
  expect(problemsOf('{"name":"a","add":1,"ignoreHookError":"si"}')[1]).toMatch(/ignoreHookError: received "si"/);
});

function problemsOf(text: string): readonly string[] {
  try {
    parseMetrics(text);
  } catch (error) {
    if (error instanceof HookOutputError) return error.message.split('\n');
    throw error;
  }
  return [];
}
