import { describe, expect, it } from 'vitest';
import { startOptions } from '../../src/cli/options/options.ts';
import { resolveOptions } from '../../src/cli/options/resolve.ts';
import { workersSettings } from '../../src/cli/options/workers-options.ts';
import { version } from '../../src/cli/program/version.ts';
import { UsageError } from '../../src/errors.ts';

const settingsOf = (env: Readonly<Record<string, string>>) => workersSettings(resolveOptions(startOptions, {}, env));

describe('the options of workers', () => {
  it('know workers by the account hooklet-workers in the own namespace, which are silent for 15 s at most', () => {
    expect(settingsOf({})).toEqual({ accounts: [{ name: 'hooklet-workers' }], silenceMs: 15_000, version });
  });

  it('take several accounts, also of other namespaces', () => {
    expect(settingsOf({ HOOKLET_WORKERS_ACCOUNT: 'small, gpu/large' })).toMatchObject({
      accounts: [{ name: 'small' }, { namespace: 'gpu', name: 'large' }],
    });
  });

  it.each([
    ['HOOKLET_WORKERS_ACCOUNT', ',', 'names of ServiceAccounts'],
    ['HOOKLET_WORKERS_ACCOUNT', 'a/b/c,ok,A', 'which is not so of "a/b/c" and "A"'],
    ['HOOKLET_WORKERS_ACCOUNT', '/a', 'NAMESPACE/NAME'],
    ['HOOKLET_WORKERS_SILENCE', '4s', 'a duration from 5s to 10m'],
    ['HOOKLET_WORKERS_SILENCE', '11m', 'a duration from 5s to 10m'],
    ['HOOKLET_WORKERS_SILENCE', 'soon', 'a duration'],
  ])('refuse %s=%s before anything is started', (name, value, expected) => {
    expect(() => settingsOf({ [name]: value })).toThrow(UsageError);
    expect(() => settingsOf({ [name]: value })).toThrow(expected);
  });

  it('are refused with all their problems at once', () => {
    const wrong = { HOOKLET_WORKERS_ACCOUNT: 'A', HOOKLET_WORKERS_SILENCE: '1s' };

    expect(() => settingsOf(wrong)).toThrow(/HOOKLET_WORKERS_ACCOUNT[^]*HOOKLET_WORKERS_SILENCE/);
  });
});
