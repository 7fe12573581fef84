import type { MetricRegistry } from '../lib/metric-registry.ts';

const HANDOVER_SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 1800];

/** The metrics of runs that workers execute. */
export function workerMetrics({ counter, gauge, histogram }: MetricRegistry) {
  return {
    runsWaiting: gauge('runs_waiting', 'Runs that no worker has taken yet, and that wait to be prepared.', ['pool']),
    workers: gauge('workers', 'Workers with the hooks of the operator.', ['pool']),
    workersOutdated: gauge('workers_outdated', 'Workers with other hooks, which get no runs.', ['pool']),
    workersBusyRatio: gauge('workers_busy_ratio', 'Share of the capacity of the workers in use.', ['pool']),
    runHandoverSeconds: histogram(
      'run_handover_seconds',
      'Time from the request of a run until a worker took it.',
      ['pool'],
      HANDOVER_SECONDS,
    ),
    runsLost: counter('runs_lost_total', 'Runs whose worker fell silent, or dropped them.', ['hook']),
  };
}
