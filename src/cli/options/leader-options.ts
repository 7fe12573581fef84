import { UsageError } from '../../errors.ts';
import type { LeaderElectionTimes } from '../../kube/coordination/leader-election.ts';
import type { LeaderElectionSettings } from '../../operator/leadership.ts';
import type { StartOptions } from './options.ts';
import { duration, flag, text } from './spec.ts';

/** The options of the election of a leader. */
export const leaderOptions = {
  leaderElect: flag('--leader-elect', ['HOOKLET_LEADER_ELECT'], 'run hooks only while this replica holds a Lease'),
  leaseName: {
    ...text(
      '--leader-election-lease-name <name>',
      ['HOOKLET_LEADER_ELECTION_LEASE_NAME'],
      'hooklet',
      'name of the Lease',
    ),
    parse: (value: string): string => {
      if (/^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/.test(value)) return value;
      throw new Error('a name in Kubernetes: small letters, digits, "-" and "."');
    },
  },
  leaseDurationMs: duration(
    '--leader-election-lease-duration <duration>',
    ['HOOKLET_LEADER_ELECTION_LEASE_DURATION'],
    '15s',
    'time without a renewal after which another replica takes over',
  ),
  renewDeadlineMs: duration(
    '--leader-election-renew-deadline <duration>',
    ['HOOKLET_LEADER_ELECTION_RENEW_DEADLINE'],
    '10s',
    'how long the leader tries to renew before it gives up',
  ),
  retryPeriodMs: duration(
    '--leader-election-retry-period <duration>',
    ['HOOKLET_LEADER_ELECTION_RETRY_PERIOD'],
    '2s',
    'time between two attempts to get or renew the Lease',
  ),
} as const;

// Maximum time from SIGTERM to SIGKILL: hooks must have ended before another replica can become the leader.
const LONGEST_KILL_MS = 5000;
const MIN_DURATION_MS = 1000;
// Candidates wait up to a whole retry period between attempts, and a request takes time.
const RETRY_SHARE = 1.2;

/** The operator options that leader election sets; empty without `--leader-elect`. Throws as `electionTimes`. */
export function leaderElectionOptions(options: StartOptions): {
  readonly leaderElection?: LeaderElectionSettings;
  readonly killAfterMs?: number;
} {
  if (!options.leaderElect) return {};
  const { times, killAfterMs } = electionTimes(options);
  return { leaderElection: { leaseName: options.leaseName, ...times }, killAfterMs };
}

export interface ElectionTimes {
  readonly times: LeaderElectionTimes;
  /** How long hooks have from SIGTERM to SIGKILL, so that they have ended before another replica takes over. */
  readonly killAfterMs: number;
}

type TimeOptions = Pick<StartOptions, 'leaseDurationMs' | 'renewDeadlineMs' | 'retryPeriodMs'>;

/** The times of Leases. Throws `UsageError` for those that contradict each other. */
export function electionTimes({ leaseDurationMs, renewDeadlineMs, retryPeriodMs }: TimeOptions): ElectionTimes {
  const problems = [
    ...(leaseDurationMs < MIN_DURATION_MS ? [problem('lease-duration', leaseDurationMs, 'at least 1s')] : []),
    ...(leaseDurationMs <= renewDeadlineMs
      ? [problem('lease-duration', leaseDurationMs, 'more than --leader-election-renew-deadline', renewDeadlineMs)]
      : []),
    ...(renewDeadlineMs <= retryPeriodMs * RETRY_SHARE
      ? [
          problem(
            'renew-deadline',
            renewDeadlineMs,
            'more than 1.2 times --leader-election-retry-period',
            retryPeriodMs,
          ),
        ]
      : []),
    ...(retryPeriodMs <= 0 ? [problem('retry-period', retryPeriodMs, 'more than 0')] : []),
  ];
  if (problems.length > 0) throw new UsageError(problems.join('\n'));
  const spareMs = leaseDurationMs - renewDeadlineMs;
  return {
    times: { leaseDurationMs, renewDeadlineMs, retryPeriodMs },
    killAfterMs: Math.min(LONGEST_KILL_MS, spareMs * 0.8),
  };
}

/** Describes a bad value; `otherMs` is the value of the flag that `expected` names. */
function problem(flag: string, gotMs: number, expected: string, otherMs?: number): string {
  const other = otherMs === undefined ? '' : `, which is ${otherMs / 1000}s`;
  return `--leader-election-${flag}: got ${gotMs / 1000}s, expected ${expected}${other}`;
}
