import type { MetricRegistry } from '../lib/metric-registry.ts';

const LOCK_SECONDS = [0.1, 0.5, 1, 5, 10, 30, 60, 300, 1800, 3600];

/** The metrics of the locks that hooks hold and wait for. */
export function lockMetrics({ counter, gauge, histogram }: MetricRegistry) {
  return {
    lockWaiting: gauge('lock_waiting_tasks', 'Tasks that wait for a lock that somebody else holds.', ['hook', 'lock']),
    lockWaitSeconds: histogram(
      'lock_wait_seconds',
      'Time that a task waited until it held its lock, from when it was queued.',
      ['hook', 'lock'],
      LOCK_SECONDS,
    ),
    locksHeld: gauge('locks_held', 'Locks that running hooks hold.'),
    locksLost: counter('locks_lost_total', 'Locks that were lost while their hook ran, which was ended.', [
      'hook',
      'lock',
    ]),
  };
}
