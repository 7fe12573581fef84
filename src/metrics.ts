import { metricRegistry } from './lib/metric-registry.ts';
import { clientMetrics } from './metric-families/client.ts';
import { kubernetesMetrics, watchMetrics } from './metric-families/kubernetes.ts';
import { compactionMetrics, dryRunMetrics, loadMetrics, operatorMetrics } from './metric-families/operator.ts';
import { jobMetrics } from './metric-families/jobs.ts';
import { lockMetrics } from './metric-families/locks.ts';
import { runMetrics, type RunLabels } from './metric-families/runs.ts';
import { scheduleMetrics } from './metric-families/schedules.ts';
import { webhookMetrics } from './metric-families/webhooks.ts';
import { shardMetrics } from './metric-families/shards.ts';
import { workerMetrics } from './metric-families/workers.ts';

const WATCH_ERROR_TYPES = ['expired', 'eof', 'unexpected-eof', 'fail', 'nil'];

/**
 * Every metric of hooklet, declared once, in the files of `metric-families/`. `run-operator.ts` creates them once for the
 * process and passes them on; each part updates its own, and the HTTP server reads them all for `/metrics`. The metrics
 * of hooks are in `effects/hook-metrics.ts`.
 *
 * What must hold: where shell-operator has a metric, ours has its name, labels and buckets. What can be 0 is 0 from the
 * start, so that "never happened" differs from "not measured". The number of series is bounded, whatever the hooks are
 * called and do: a counter or gauge has at most 5,000, a histogram 300; `metricRegistry` counts what exceeds that.
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
    ...dryRunMetrics(registry),
    ...compactionMetrics(registry),
    ...runMetrics(registry),
    ...lockMetrics(registry),
    ...jobMetrics(registry),
    ...workerMetrics(registry),
    ...shardMetrics(registry),
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

export type { RunLabels };

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
