import { UsageError } from '../errors.ts';
import type { LeaderElectionSettings } from '../operator/leadership.ts';
import type { StartOptions } from './options.ts';

// From SIGTERM to SIGKILL at most; hooks must be gone when another replica may lead.
const LONGEST_KILL_MS = 5000;
const MIN_DURATION_MS = 1000;
// Candidates wait up to a retry period, and a request takes its time.
const RETRY_SHARE = 1.2;

/** What leader election changes in the options of the operator; throws `UsageError` for times that do not fit together. */
export function leaderElectionOptions(options: StartOptions): {
  readonly leaderElection?: LeaderElectionSettings;
  readonly killAfterMs?: number;
} {
  if (!options.leaderElect) return {};
  const { leaseName, leaseDurationMs, renewDeadlineMs, retryPeriodMs } = options;
  const problems = [
    ...(leaseDurationMs < MIN_DURATION_MS ? ['--leader-election-lease-duration: expected at least 1s'] : []),
    ...(leaseDurationMs <= renewDeadlineMs
      ? ['--leader-election-lease-duration: expected more than --leader-election-renew-deadline']
      : []),
    ...(renewDeadlineMs <= retryPeriodMs * RETRY_SHARE
      ? ['--leader-election-renew-deadline: expected more than 1.2 times --leader-election-retry-period']
      : []),
    ...(retryPeriodMs <= 0 ? ['--leader-election-retry-period: expected more than 0'] : []),
  ];
  if (problems.length > 0) throw new UsageError(problems.join('\n'));
  const spareMs = leaseDurationMs - renewDeadlineMs;
  return {
    leaderElection: { leaseName, leaseDurationMs, renewDeadlineMs, retryPeriodMs },
    killAfterMs: Math.min(LONGEST_KILL_MS, spareMs * 0.8),
  };
}
