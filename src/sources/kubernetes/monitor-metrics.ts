import { observe, type HistogramSeries } from '../../lib/series.ts';
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
  // Each is written at every event, of a thousand bindings perhaps. The long ones are there once something happens.
  let filterSeconds: HistogramSeries | undefined;
  let eventSeconds: HistogramSeries | undefined;
  const filterErrors = metrics.filterErrors.of(labels);
  const eventsSuppressed = metrics.eventsSuppressed.of(labels);
  const snapshotObjects = metrics.snapshotObjects.of(labels);
  return {
    filtered: (seconds) => {
      observe((filterSeconds ??= metrics.filterSeconds.of(labels)), seconds);
    },
    filterFailed: () => {
      filterErrors.value += 1;
    },
    handled: (seconds) => {
      observe((eventSeconds ??= metrics.eventSeconds.of(labels)), seconds);
    },
    suppressed: () => {
      eventsSuppressed.value += 1;
    },
    snapshotSize: (objects) => {
      snapshotObjects.value = objects;
    },
    remove: () => {
      metrics.snapshotObjects.remove(labels);
    },
  };
}
