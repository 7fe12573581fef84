import type { MetricRegistry } from '../lib/metric-registry.ts';

const START_SECONDS = [0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800];

/** The metrics of runs that are Jobs. */
export function jobMetrics({ counter, gauge, histogram }: MetricRegistry) {
  return {
    jobsRunning: gauge('jobs_running', 'Jobs whose runs have not ended.'),
    jobsWaiting: gauge('jobs_waiting', 'Runs that wait until their Job may be created.'),
    jobStartSeconds: histogram(
      'job_start_seconds',
      'Time from the creation of a Job until its Pod asked for its run.',
      ['hook'],
      START_SECONDS,
    ),
    jobsAdopted: counter('jobs_adopted_total', 'Jobs of an earlier leader that were taken over.'),
    jobsFailedToStart: counter('jobs_failed_to_start_total', 'Jobs whose Pod did not ask for its run.', ['hook']),
  };
}
