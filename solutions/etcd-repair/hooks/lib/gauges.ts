import type { Metric } from 'hooklet';
import type { Facts } from './facts.ts';
import type { RepairRecord } from './record.ts';
import type { Settings } from './settings.ts';

/** The findings and the decision of a run. */
export interface Found {
  readonly record: RepairRecord | undefined;
  /** Empty when nothing was refused. */
  readonly refused: string;
  readonly begunLastDay: number;
}

/**
 * All gauges are in one group, so those that a run does not set disappear. Without facts the StatefulSet does not
 * exist.
 */
export function reportGauges(metric: Metric, settings: Settings, facts: Facts | undefined, found: Found): void {
  const { statefulset } = settings;
  const gauge = (name: string, value: number, labels: Readonly<Record<string, string>> = {}): void =>
    metric.set(`etcd_repair_${name}`, value, { group: 'etcd-repair', labels: { statefulset, ...labels } });
  const pods = facts?.pods ?? [];
  gauge('statefulset_found', facts === undefined ? 0 : 1);
  gauge('members', pods.filter(({ isWell }) => isWell).length, { state: 'well' });
  gauge('members', pods.filter(({ isWell }) => !isWell).length, { state: 'unhealthy' });
  gauge('begun_last_day', found.begunLastDay);
  if (found.record !== undefined) gauge('in_progress', 1, { pod: found.record.pod, step: found.record.step });
  if (found.refused !== '') gauge('refused', 1, { reason: found.refused });
}
