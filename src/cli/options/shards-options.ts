import { UsageError } from '../../errors.ts';
import { isShardsName, SHARDS_NAME_TEXT } from '../../kube/coordination/slices/member-words.ts';
import type { ShardsSettings } from '../../operator/shards/shards.ts';
import { electionTimes } from './leader-options.ts';
import type { StartOptions } from './options.ts';
import { flag, text } from './spec.ts';

/** The options by which replicas divide objects. */
export const shardsOptions = {
  isSharded: flag('--shards', ['HOOKLET_SHARDS'], 'divide the objects among the replicas: each follows a part of them'),
  shardsLeaseName: {
    ...text(
      '--shards-lease-name <name>',
      ['HOOKLET_SHARDS_LEASE_NAME'],
      'hooklet-shards',
      'what the Leases of the replicas begin with, and the ConfigMap that says who has what',
    ),
    parse: (value: string): string => {
      if (isShardsName(value)) return value;
      throw new Error(SHARDS_NAME_TEXT);
    },
  },
  shardsServerSide: flag(
    '--shards-server-side',
    ['HOOKLET_SHARDS_SERVER_SIDE'],
    'ask the API server for the own part alone, where it can: Kubernetes 1.36 with ShardedListAndWatch',
  ),
} as const;

/**
 * The operator options that `--shards` sets; empty without it. Throws `UsageError` beside `--leader-elect`, for
 * `--shards-server-side` alone, and for times that contradict each other.
 */
export function shardsSettings(options: StartOptions): {
  readonly shards?: ShardsSettings;
  readonly killAfterMs?: number;
} {
  const { isSharded, shardsLeaseName: leaseName, shardsServerSide: isServerSide } = options;
  if (!isSharded && isServerSide) {
    throw new UsageError('--shards-server-side: got it without --shards, expected both: alone it divides nothing');
  }
  if (!isSharded) return {};
  if (options.leaderElect) {
    throw new UsageError('--shards: got it with --leader-elect, expected one of them: with --shards all replicas work');
  }
  const { times, killAfterMs } = electionTimes(options);
  return { shards: { leaseName, isServerSide, ...times }, killAfterMs };
}
