import type { MetricRegistry } from '../lib/metric-registry.ts';

// What shell-operator documents, and what it has instead: the default buckets of Prometheus.
const RUN_SECONDS = [0, 0.005, 0.01, 0.02, 0.025, 0.05, 0.1, 0.2, 0.25, 0.5, 1, 2, 2.5, 5, 10, 20, 50, 100, 200, 500];

/** The labels of what is measured for each binding. */
export const RUN_LABELS = ['hook', 'binding', 'queue'] as const;

export type RunLabels = Readonly<Record<(typeof RUN_LABELS)[number], string>>;

/** The metrics of runs, and of what waits or was given up. */
export function runMetrics({ counter, gauge, histogram }: MetricRegistry) {
  return {
    hookRunSeconds: histogram('hook_run_seconds', 'Duration of hook runs.', RUN_LABELS, RUN_SECONDS),
    hookRunUserCpuSeconds: histogram(
      'hook_run_user_cpu_seconds',
      'User CPU time of hook runs.',
      RUN_LABELS,
      RUN_SECONDS,
    ),
    hookRunSysCpuSeconds: histogram(
      'hook_run_sys_cpu_seconds',
      'System CPU time of hook runs.',
      RUN_LABELS,
      RUN_SECONDS,
    ),
    hookRunMaxRssBytes: gauge('hook_run_max_rss_bytes', 'Peak memory of the last run of the hook.', RUN_LABELS),
    hookRunSuccess: counter('hook_run_success_total', 'Runs that succeeded.', RUN_LABELS),
    hookRunErrors: counter('hook_run_errors_total', 'Runs that failed and are retried.', RUN_LABELS),
    hookRunAllowedErrors: counter(
      'hook_run_allowed_errors_total',
      'Runs that failed and are not retried (allowFailure).',
      RUN_LABELS,
    ),
    hookLoopRuns: counter(
      'hook_loop_runs_total',
      'Runs that were triggered only by writes of their own hook, after ten in a row.',
      ['hook'],
    ),
    hookMetricsDropped: counter(
      'hook_metric_operations_dropped_total',
      'Metric operations of hooks that were dropped because they exceeded the limits.',
      ['hook'],
    ),
    objectsRefused: gauge('objects_refused', 'Objects that the hook refuses now.', ['hook', 'binding', 'reason']),
    deadLetters: gauge('dead_letters', 'What the hook gave up and is remembered.', ['hook', 'binding']),
    deadLettersDropped: counter('dead_letters_dropped_total', 'Dead letters that were dropped for newer ones.'),
    pausedTasks: gauge('paused_tasks', 'What waits because the hook, its queue or its object is paused.', ['hook']),
    pausedTasksDropped: counter(
      'paused_tasks_dropped_total',
      'What waited for the end of a pause and was dropped, because too much did.',
    ),
  };
}
