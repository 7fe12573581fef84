import { describe, expect, it } from 'vitest';
import { HookFailedError, KubeError, PatchError } from '../../src/errors.ts';
import { environmentalDelayMs } from '../../src/operator/environmental-delay.ts';

const patchError = (status: number, retryAfterMs?: number) =>
  new PatchError('patch', {
    cause: new KubeError('api', { status, reason: '', ...(retryAfterMs !== undefined && { retryAfterMs }) }),
  });

describe('environmentalDelayMs', () => {
  it.each([
    ['a run whose process was lost', new HookFailedError('lost', { isEnvironmental: true }), 500],
    ['an API server that cannot be reached', patchError(0), 500],
    ['an API server that fails', patchError(503), 500],
    ['an API server that is overloaded', patchError(429), 500],
    ['an API server that says when', patchError(429, 1000), 1000],
    ['an API server that says at once', patchError(429, 0), 500],
    ['a hook that failed', new HookFailedError('exit code 1'), undefined],
    ['a patch that is refused', patchError(422), undefined],
    ['a conflict', patchError(409), undefined],
    ['a patch that could not be made', new PatchError('patch', { cause: new Error('jq') }), undefined],
    ['a bug', new TypeError('bug'), undefined],
  ])('is for what is not the fault of the hook: %s', (_what, error, delayMs) => {
    expect(environmentalDelayMs(error, 0)).toBe(delayMs);
  });

  it('grows up to 2 s', () => {
    expect([0, 1, 2, 3, 50].map((failures) => environmentalDelayMs(patchError(0), failures))).toEqual([
      500, 1000, 2000, 2000, 2000,
    ]);
  });
});
