import { describe, expect, it } from 'vitest';
import { leaderElectionOptions } from '../../src/cli/options/leader-options.ts';
import { startOptions } from '../../src/cli/options/options.ts';
import { resolveOptions } from '../../src/cli/options/resolve.ts';
import { UsageError } from '../../src/errors.ts';

const optionsOf = (flags: Readonly<Record<string, string | boolean>>) =>
  leaderElectionOptions(resolveOptions(startOptions, flags, {}));

describe('the options of leader election', () => {
  it('change nothing unless they are asked for', () => {
    expect(optionsOf({ leaderElectionLeaseDuration: '1ms' })).toEqual({});
  });

  it('have the times of client-go, and end hooks before another replica may lead', () => {
    expect(optionsOf({ leaderElect: true })).toEqual({
      leaderElection: { leaseName: 'hooklet', leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2000 },
      killAfterMs: 4000,
    });
  });

  it.each([
    [
      'leaderElectionLeaseDuration',
      '10s',
      'got 10s, expected more than --leader-election-renew-deadline, which is 10s',
    ],
    ['leaderElectionLeaseDuration', '500ms', 'got 0.5s, expected at least 1s'],
    ['leaderElectionRenewDeadline', '2.4s', 'more than 1.2 times --leader-election-retry-period, which is 2s'],
    ['leaderElectionRetryPeriod', '0', 'got 0s, expected more than 0'],
  ])('refuse times that do not fit together: %s %s', (flag, value, expected) => {
    expect(() => optionsOf({ leaderElect: true, [flag]: value })).toThrow(UsageError);
    expect(() => optionsOf({ leaderElect: true, [flag]: value })).toThrow(expected);
  });

  it.each(['Hooklet', 'a_b', '', '-a'])('refuse a name that no Lease can have: %j', (leaderElectionLeaseName) => {
    expect(() => optionsOf({ leaderElect: true, leaderElectionLeaseName })).toThrow(UsageError);
  });
});
