import type { KubernetesBinding } from '../../hook/binding.ts';
import type { Metrics } from '../../metrics.ts';

/** What a monitor measures, bound to the labels of its binding. */
export interface MonitorMetrics {
  filtered(seconds: number): void;
  filterFailed(): void;
  handled(seconds: number): void;
  suppressed(): void;
  snapshotSize(objects: number): void;
  /** Takes the binding's gauges away. */
  remove(): void;
}

/** The metrics that monitors write. */
export type KubernetesMetrics = Pick<
  Metrics,
  'snapshotObjects' | 'filterSeconds' | 'eventSeconds' | 'filterErrors' | 'eventsSuppressed'
>;

/** Binds the metrics to one binding of one hook. */
export function bindMetrics(metrics: KubernetesMetrics, hook: string, binding: KubernetesBinding): MonitorMetrics {
  const labels = { hook, binding: binding.name, queue: binding.queue };
  const filterSeconds = metrics.filterSeconds.labels(labels);
  const eventSeconds = metrics.eventSeconds.labels(labels);
  const filterErrors = metrics.filterErrors.labels(labels);
  const eventsSuppressed = metrics.eventsSuppressed.labels(labels);
  const snapshotObjects = metrics.snapshotObjects.labels(labels);
  return {
    filtered: (seconds) => {
      filterSeconds.observe(seconds);
    },
    filterFailed: () => {
      filterErrors.inc();
    },
    handled: (seconds) => {
      eventSeconds.observe(seconds);
    },
    suppressed: () => {
      eventsSuppressed.inc();
    },
    snapshotSize: (objects) => {
      snapshotObjects.set(objects);
    },
    remove: () => {
      metrics.snapshotObjects.remove(labels);
    },
  };
}
