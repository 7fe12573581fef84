import { metricRegistry, type MetricRegistry } from './lib/metric-registry.ts';
import { webhookMetrics } from './webhook-metrics.ts';

// What shell-operator documents, and what it has instead: the default buckets of Prometheus.
const RUN_SECONDS = [0, 0.005, 0.01, 0.02, 0.025, 0.05, 0.1, 0.2, 0.25, 0.5, 1, 2, 2.5, 5, 10, 20, 50, 100, 200, 500];
const SHORT_SECONDS = [0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];
const REQUEST_SECONDS = [...SHORT_SECONDS, 20, 50];
const LIMITER_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const QUEUE_SECONDS = [0, 0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5];
const WAIT_SECONDS = [0.001, 0.005, 0.02, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 1800];
const LOOP_DELAY_SECONDS = [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5];
const RUN_LABELS = ['hook', 'binding', 'queue'] as const;
const SCHEDULE_LABELS = ['hook', 'binding'] as const;
const WATCH_LABELS = ['kind', 'namespace'] as const;
const QUEUE_LABELS = ['queue_name', 'hook'] as const;
const LATENCY_LABELS = ['verb', 'url', 'component'] as const;
const REQUEST_LABELS = ['code', 'method', 'host', 'component'] as const;
const WATCH_ERROR_TYPES = ['expired', 'eof', 'unexpected-eof', 'fail', 'nil'];

/**
 * Every metric of hooklet, declared once. `run-operator.ts` creates them once for the process and passes them on; each
 * part updates its own, and the HTTP server reads them all for `/metrics`. The series of hooks' own metrics are not
 * here, but in `effects/hook-metrics.ts`.
 *
 * What must hold: where shell-operator has a metric, ours has its name, labels and buckets. What can be 0 is 0 from the start, so that
 * "never happened" differs from "not measured". The number of series is bounded, whatever the hooks are called and do:
 * a counter or gauge has at most 5,000, a histogram 300; `metricRegistry` counts what exceeds that.
 */
export type Metrics = ReturnType<typeof createMetrics>;

export interface MetricsOptions {
  /** Whether operations on queues are measured; default true. */
  readonly queueActions?: boolean;
}

/** Creates the metrics; `prefix` is put before each name, but where shell-operator has it otherwise. */
export function createMetrics(prefix: string, { queueActions = true }: MetricsOptions = {}) {
  const registry = metricRegistry(prefix);
  const { tasksQueueActionSeconds, ...operator } = operatorMetrics(registry);
  const metrics = {
    /** Measures one operation on a queue. */
    queueActed: (queue_name: string, queue_action: string, seconds: number): void => {
      if (queueActions) tasksQueueActionSeconds.observe({ queue_name, queue_action }, seconds);
    },
    ...operator,
    ...compactionMetrics(registry),
    ...runMetrics(registry),
    ...scheduleMetrics(registry),
    ...kubernetesMetrics(registry),
    ...watchMetrics(registry),
    ...clientMetrics(registry),
    ...webhookMetrics(registry),
    ...loadMetrics(registry),
    seriesOverflows: registry.overflows,
    /** Called before each reading, to set metrics that would be expensive to set at every event. */
    beforeRead: registry.beforeRead,
    families: registry.families(),
    /** All metrics in the text format of Prometheus. */
    text: (): string => [...registry.pieces()].join(''),
    /** The same text in pieces. */
    pieces: (): Generator<string, void, undefined> => registry.pieces(),
  };
  for (const error_type of WATCH_ERROR_TYPES) metrics.watchErrors.of({ error_type });
  return metrics;
}

export type RunLabels = Readonly<Record<(typeof RUN_LABELS)[number], string>>;

/**
 * Starts the counters of a binding's runs at 0, so that "never happened" differs from "not measured". A histogram,
 * which has many lines, begins with the first run.
 */
export function initRun(metrics: Metrics, labels: RunLabels): void {
  const { taskWaitSeconds, hookRunSuccess, hookRunErrors, hookRunAllowedErrors } = metrics;
  for (const metric of [taskWaitSeconds, hookRunSuccess, hookRunErrors, hookRunAllowedErrors]) metric.of(labels);
}

/** Starts the metrics of a kubernetes binding at 0. */
export function initKubernetesBinding(metrics: Metrics, labels: RunLabels): void {
  metrics.filterErrors.of(labels);
  metrics.eventsSuppressed.of(labels);
  metrics.monitorMissing.of({ binding: labels.binding });
  metrics.enableBindingsErrors.of({ hook: labels.hook });
  metrics.enableBindingsSuccess.of({ hook: labels.hook });
}

function operatorMetrics({ counter, gauge, histogram }: MetricRegistry) {
  return {
    liveTicks: counter('live_ticks', 'Grows by one every 10 seconds while the operator is alive.'),
    tasksQueueLength: gauge('tasks_queue_length', 'Tasks that wait in a queue or run.', ['queue']),
    tasksQueueActionSeconds: histogram(
      'tasks_queue_action_duration_seconds',
      'Time of one operation on a queue.',
      ['queue_name', 'queue_action'],
      QUEUE_SECONDS,
    ),
    taskWaitSeconds: counter(
      'task_wait_in_queue_seconds_total',
      'Time tasks spent in a queue before they ran.',
      RUN_LABELS,
    ),
    taskWaitDuration: histogram(
      'task_wait_in_queue_seconds',
      'Time a task spent in a queue before it ran.',
      RUN_LABELS,
      WAIT_SECONDS,
    ),
    spawnerRestarts: counter(
      'spawner_restarts_total',
      'How often the process that starts hooks ended, or did not answer and was killed, and was started again.',
    ),
    runFolderRestored: counter(
      'run_folder_restored_total',
      'How often the folder for the files of runs was removed by another program and created again.',
    ),
    logLinesDropped: counter(
      'log_lines_dropped_total',
      'Log lines that were lost because standard output was not read.',
    ),
    runHistoryDropped: counter(
      'run_history_dropped_total',
      'Records of runs that were not written to --run-history, because it failed or was too slow.',
    ),
    traceSpansDropped: counter(
      'trace_spans_dropped_total',
      'Spans of traces that were not sent, because the collector did not take them.',
    ),
    hooksBroken: gauge('hooks_broken', 'Hooks that could not be loaded.'),
    leaderElectionStatus: gauge(
      'leader_election_master_status',
      '1 while this replica is the leader by the lease of this name, else 0; only with --leader-elect.',
      ['name'],
    ),
  };
}

/** The prefix is not first in these names, as in those of shell-operator. */
function compactionMetrics({ beginningWith, prefix }: MetricRegistry) {
  const { counter, gauge } = beginningWith(`d8_telemetry_${prefix}`);
  return {
    queueCompactions: counter(
      'tasks_queue_compaction_operations_total',
      'How often tasks of a hook that waited in a queue were merged into one.',
      QUEUE_LABELS,
    ),
    tasksByHook: gauge(
      'tasks_queue_compaction_tasks_by_hook',
      'Tasks of a hook in a queue, where they are more than 20; counted every 10 seconds.',
      QUEUE_LABELS,
    ),
  };
}

function runMetrics({ counter, gauge, histogram }: MetricRegistry) {
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
    deadLetters: gauge('dead_letters', 'What the hook gave up and is remembered.', ['hook', 'binding']),
    deadLettersDropped: counter('dead_letters_dropped_total', 'Dead letters that were dropped for newer ones.'),
    pausedTasks: gauge('paused_tasks', 'What waits because the hook, its queue or its object is paused.', ['hook']),
    pausedTasksDropped: counter(
      'paused_tasks_dropped_total',
      'What waited for the end of a pause and was dropped, because too much did.',
    ),
  };
}

function scheduleMetrics({ counter, gauge }: MetricRegistry) {
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

function kubernetesMetrics({ counter, gauge, histogram }: MetricRegistry) {
  return {
    enableBindingsSeconds: gauge(
      'hook_enable_kubernetes_bindings_seconds',
      'Time from start until all kubernetes bindings of the hook were synchronized.',
      ['hook'],
    ),
    enableBindingsErrors: counter(
      'hook_enable_kubernetes_bindings_errors_total',
      'Failed attempts to enable the kubernetes bindings of the hook.',
      ['hook'],
    ),
    enableBindingsSuccess: gauge(
      'hook_enable_kubernetes_bindings_success',
      '1 when all kubernetes bindings of the hook are enabled, else 0.',
      ['hook'],
    ),
    snapshotObjects: gauge('kube_snapshot_objects', 'Objects in the snapshot of a binding.', RUN_LABELS),
    filterSeconds: histogram(
      'kube_jq_filter_duration_seconds',
      'Time of one filter on one object.',
      RUN_LABELS,
      SHORT_SECONDS,
    ),
    eventSeconds: histogram(
      'kube_event_duration_seconds',
      'Time to handle one Kubernetes event, filter included.',
      RUN_LABELS,
      SHORT_SECONDS,
    ),
    filterErrors: counter('kube_filter_errors_total', 'Objects on which the filter failed.', RUN_LABELS),
    eventsSuppressed: counter(
      'kube_events_suppressed_total',
      'Events without a run, because the filter result did not change or executeHookOnEvent excludes them.',
      RUN_LABELS,
    ),
  };
}

function watchMetrics({ counter, gauge }: MetricRegistry) {
  return {
    monitorMissing: counter(
      'binding_monitor_missing_total',
      'Snapshots that were read without a running monitor; always 0, hooks run only with the monitors of their bindings.',
      ['binding'],
    ),
    informerDead: counter(
      'factory_informer_dead_total',
      'Watches that ended while a hook needed them; always 0, a watch that breaks is opened again.',
      ['gvr', 'namespace'],
    ),
    watchErrors: counter('kubernetes_client_watch_errors_total', 'Watches that broke, by cause.', ['error_type']),
    reflectorRestarts: counter('kube_reflector_restarts_total', 'Watches opened again and lists repeated, by reason.', [
      ...WATCH_LABELS,
      'reason',
    ]),
    watchLastContact: gauge(
      'kube_watch_last_contact_timestamp_seconds',
      'When anything last came from the server on the connection of the watch; answers to pings and probes count.',
      WATCH_LABELS,
    ),
    watches: gauge('kube_watches', 'Open shared watches.'),
  };
}

function clientMetrics(registry: MetricRegistry) {
  const { counter, histogram, beginningWith } = registry;
  const [requestSeconds, requestResults] = requestMetrics(
    registry,
    'requests to the API server, those for patches too',
  );
  // Without the prefix, as in shell-operator.
  const [patchSeconds, patchResults] = requestMetrics(
    beginningWith('object_patcher_'),
    'requests for patches of hooks',
  );
  return {
    requestSeconds,
    requestResults,
    patchSeconds,
    patchResults,
    connectionsReplaced: counter(
      'kubernetes_client_connections_replaced_total',
      'How often all connections to the API server were replaced, because requests got no answer.',
    ),
    rateLimiterSeconds: histogram(
      'kubernetes_client_rate_limiter_latency_seconds',
      'Time requests waited for the rate limit of the client; there is none by default.',
      ['verb', 'url'],
      LIMITER_SECONDS,
    ),
  };
}

function requestMetrics({ counter, histogram }: Pick<MetricRegistry, 'counter' | 'histogram'>, requests: string) {
  return [
    histogram('kubernetes_client_request_latency_seconds', `Time of ${requests}.`, LATENCY_LABELS, REQUEST_SECONDS),
    counter('kubernetes_client_request_result_total', `Number of ${requests}, by status and method.`, REQUEST_LABELS),
  ] as const;
}

function loadMetrics({ counter, histogram }: MetricRegistry) {
  return {
    loopDelaySeconds: histogram(
      'event_loop_delay_seconds',
      'How late timers fire; measured every 10 ms under load, else once a second.',
      [],
      LOOP_DELAY_SECONDS,
    ),
    loopBusySeconds: counter('event_loop_busy_seconds_total', 'Time in which the event loop did not wait.'),
    heapAllocatedBytes: counter('heap_allocated_bytes_total', 'Bytes that were allocated on the JavaScript heap.'),
  };
}
