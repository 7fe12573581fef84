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
    [
      { outcome: { success: [0, 3], later: [11], permanent: [10, 12] } },
      { outcome: { success: [0, 3], later: [11], permanent: [10, 12] } },
    ],
    [{ outcome: { later: [] } }, { outcome: { later: [] } }],
    [{}, {}],
  ])('reads %j', (value, expected) => {
    expect(read(value)).toEqual({ value: expected, issues: [] });
  });

  it('reports each exit code that cannot be mapped, and one in two lists', () => {
    const outcome = { success: [3, 256, '4'], later: [0, 3, 127, 11], permanent: [126, -1, 1.5, 11], failed: [1] };

    expect(read({ outcome }).issues.map(({ path, message }) => `${path}: ${message}`)).toEqual([
      'settings.outcome.failed: unknown field, expected one of success, later, permanent',
      'settings.outcome.success[1]: got 256, expected an exit code from 0 to 255',
      'settings.outcome.success[2]: got "4", expected an exit code from 0 to 255',
      'settings.outcome.later[0]: got 0, expected an exit code from 1 to 255',
      expect.stringContaining('settings.outcome.later[2]: got 127, with which a shell says'),
      expect.stringContaining('settings.outcome.permanent[0]: got 126, with which a shell says'),
      'settings.outcome.permanent[1]: got -1, expected an exit code from 1 to 255',
      'settings.outcome.permanent[2]: got 1.5, expected an exit code from 1 to 255',
      'settings.outcome.later: got 3, which is already in success',
      'settings.outcome.permanent: got 11, which is already in later',
    ]);
    expect(read({ outcome: {} }).issues).toEqual([
      { path: 'settings.outcome', message: 'got {}, expected some of success, later, permanent' },
    ]);
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
