import { describe, expect, it } from 'vitest';
import { startOptions } from '../../src/cli/options/options.ts';
import { resolveOptions } from '../../src/cli/options/resolve.ts';
import { shardsSettings } from '../../src/cli/options/shards-options.ts';
import { UsageError } from '../../src/errors.ts';

const settingsOf = (flags: Readonly<Record<string, string | boolean>>) =>
  shardsSettings(resolveOptions(startOptions, flags, {}));

describe('the options of shards', () => {
  it('change nothing unless they are asked for', () => {
    expect(settingsOf({ shardsLeaseName: 'mine' })).toEqual({});
  });

  it.each([
    ['leaderElect', { shards: true, leaderElect: true }, '--shards: got it with --leader-elect'],
    ['alone', { shardsServerSide: true }, '--shards-server-side: got it without --shards'],
  ])('refuse what would divide nothing: %s', (_, flags, expected) => {
    expect(() => settingsOf(flags)).toThrow(UsageError);
    expect(() => settingsOf(flags)).toThrow(expected);
  });
});
