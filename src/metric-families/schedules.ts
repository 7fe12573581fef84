import type { MetricRegistry } from '../lib/metric-registry.ts';

const SCHEDULE_LABELS = ['hook', 'binding'] as const;

/** The metrics of schedules. */
export function scheduleMetrics({ counter, gauge }: MetricRegistry) {
  return {
    scheduleLastSuccess: gauge(
      'schedule_last_success_timestamp_seconds',
      'When a run of the schedule last succeeded; if none did, when its state was created.',
      SCHEDULE_LABELS,
    ),
    scheduleExpectedInterval: gauge(
      'schedule_expected_interval_seconds',
      'Time between two ticks of the schedule: the longer one around the last tick.',
      SCHEDULE_LABELS,
    ),
    scheduleLastScheduled: gauge(
      'schedule_last_scheduled_timestamp_seconds',
      'The last tick of the schedule for which a run was queued.',
      SCHEDULE_LABELS,
    ),
    scheduleMissed: counter('schedule_missed_total', 'Ticks that were missed and not run late.', SCHEDULE_LABELS),
    scheduleSkipped: counter(
      'schedule_skipped_total',
      'Ticks that were skipped because an earlier run had not ended (concurrency).',
      SCHEDULE_LABELS,
    ),
    scheduleSuspended: gauge('schedule_suspended', '1 while the schedule is suspended, else 0.', SCHEDULE_LABELS),
  };
}
