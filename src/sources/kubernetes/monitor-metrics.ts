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
  /** Removes the gauge of the binding's snapshot. */
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
  // Bound once, since they are written at every event. Histograms are large, and there may be a thousand bindings: each
  // is created at its first observation.
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
