import type { MetricRegistry } from '../lib/metric-registry.ts';

/** The metrics of objects that replicas divide among them. */
export function shardMetrics({ counter, gauge }: MetricRegistry) {
  return {
    shardSlices: gauge('shard_slices', 'Slices of the objects that this replica works on; only with --shards.'),
    shardMembers: gauge('shard_members', 'Replicas that divide the objects among them; only with --shards.'),
    shardMoves: counter(
      'shard_moves_total',
      'Slices of the objects that this replica has taken or given; only with --shards.',
      ['direction'],
    ),
  };
}
