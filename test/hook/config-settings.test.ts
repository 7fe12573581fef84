import { describe, expect, it } from 'vitest';
import type { Issue } from '../../src/errors.ts';
import { readSettings } from '../../src/hook/config-settings.ts';

function read(value: unknown) {
  const issues: Issue[] = [];
  return { value: readSettings(value, { path: 'settings', issues }), issues };
}

describe('readSettings', () => {
  it.each([
    [
      { executionMinInterval: '3s', executionBurst: 2 },
      { executionMinIntervalMs: 3000, executionBurst: 2 },
    ],
    [{ executionMinInterval: '3s' }, { executionMinIntervalMs: 3000 }],
    [{ executionBurst: 5 }, { executionBurst: 5 }],
    [{ executionBurst: 0 }, { executionBurst: 1 }],
    [{ executionMinInterval: '0s', timeout: '0' }, {}],
    [{ timeout: '1m30s' }, { timeoutMs: 90_000 }],
    [{}, {}],
  ])('reads %j', (value, expected) => {
    expect(read(value)).toEqual({ value: expected, issues: [] });
  });

  it('reports each wrong field', () => {
    expect(read({ executionMinInterval: 3, executionBurst: -1, timeout: '-1s', timeOut: 1 }).issues).toEqual([
      { path: 'settings.timeOut', message: 'unknown field, did you mean timeout?' },
      {
        path: 'settings.executionMinInterval',
        message: 'got 3, expected a Go duration of 0 or more such as "30s" or "1m30s", at most 87600h',
      },
      { path: 'settings.executionBurst', message: 'got -1, expected a whole number that is not negative' },
      {
        path: 'settings.timeout',
        message: 'got "-1s", expected a Go duration of 0 or more such as "30s" or "1m30s", at most 87600h',
      },
    ]);
  });
});
